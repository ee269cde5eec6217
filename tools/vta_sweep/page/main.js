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

startPage(() => {
  if (feasible.length === 0) return;
  makeFilters();
  makeAxes();
  makeComparison();
  for (const id of ['ends', 'compared', 'points']) makeExport(id, `${data.name}-${id}`);
}, drawAll);
