// Draws the page. Text from the model reaches it only as text.
'use strict';

function drawCharts() {
  drawTimeline();
  drawRoofline();
  drawDram();
  drawSram();
}
function drawReport() {
  drawSummary();
  drawCosts();
  drawTable();
  drawCrossings();
  drawCharts();
}

try {
  drawComparison();
  drawReport();
} catch (error) {
  byId('problem').textContent = `This page could not be drawn: ${error.message}`;
  throw error;
}

const resize = () => charts.forEach((chart) => chart.resize());
window.addEventListener('resize', resize);
// Charts hold colours of their own, so another scheme draws everything anew; paper is always light.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawReport);
const paper = matchMedia('print');
paper.addEventListener('change', drawReport);
