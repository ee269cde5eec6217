// Draws the page. Text from the sweep reaches it only as text.
'use strict';

// What depends on the points that are shown, without the parallel coordinates, on which some were marked.
function drawShown() {
  const points = shownPoints();
  drawScatter(points);
  drawPairs(points);
  drawTable(points);
}

function drawFiltered() {
  drawParallel(filteredPoints());
  drawShown();
}

function drawChosen() {
  drawEnds();
  drawShown();
  drawComparison();
}

function drawAll() {
  drawSummary();
  drawExcluded();
  byId('results').hidden = feasible.length === 0;
  if (feasible.length === 0) return;
  drawParallel(filteredPoints());
  drawChosen();
  drawMemories();
}

try {
  if (feasible.length > 0) {
    makeFilters();
    makeAxes();
    makeComparison();
  }
  drawAll();
} catch (error) {
  byId('problem').textContent = `This page could not be drawn: ${error.message}`;
  throw error;
}

window.addEventListener('resize', () => charts.forEach((chart) => chart.resize()));
// Charts hold colours of their own, so another scheme draws everything anew; paper is always light.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
matchMedia('print').addEventListener('change', drawAll);
