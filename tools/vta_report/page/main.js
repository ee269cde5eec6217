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

startPage(() => {
  drawComparison();
  makeExport('layers', `${report.model}-layers`);
  if (reports.length > 1) makeExport('compare-totals', 'comparison');
}, drawReport);
