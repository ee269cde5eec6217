// The answer: how many points there are, and the best of them for each objective.
'use strict';

// The point of the front that is nearest to the best of every objective, each scaled to the front's range.
function balancedPoint(points) {
  const ranges = objectives.map((_, i) => points.map((point) => point.objectives[i]));
  const far = (point) => Math.hypot(...point.objectives.map((value, i) => {
    const [least, most] = [Math.min(...ranges[i]), Math.max(...ranges[i])];
    return most > least ? (value - least) / (most - least) : 0;
  }));
  return points.reduce((a, b) => (far(b) < far(a) ? b : a));
}

// [what it is best in, point], for each objective and the balanced one.
function endsOfFront() {
  const points = feasible.filter(isOnFront);
  const ends = objectives.map((text, i) => [`${data.objectives[i].maximise ? 'most' : 'least'} ${nameForPeople(text)}`,
    points.reduce((a, b) => (b.objectives[i] < a.objectives[i] ? b : a))]);
  if (objectives.length > 1) ends.push(['all together', balancedPoint(points)]);
  // A point that is best in several is one row.
  const by_point = new Map();
  for (const [title, point] of ends) by_point.set(point, [...(by_point.get(point) ?? []), title]);
  return [...by_point].map(([point, all]) => [all.join('; '), point]);
}

// Rows that stand for points: a click compares them.
function linkToPoint(row, point) {
  row.tabIndex = 0;
  row.title = 'A click adds this point to the comparison, or takes it out.';
  row.classList.toggle('selected', chosen.has(point.number));
  row.addEventListener('click', () => choose(point));
  row.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') choose(point);
  });
}

function headRow(titles) {
  const [head, row] = [element('thead'), element('tr')];
  row.append(...titles.map((title) => element('th', nameForPeople(title), {scope: 'col', title: meaningOf(title)})));
  head.append(row);
  return head;
}

function drawEnds() {
  const body = element('tbody');
  for (const [title, point] of endsOfFront()) {
    const row = element('tr');
    row.append(element('td', title), element('td', titleOf(point)),
      ...objectives.map((_, i) => element('td', number(objectiveOf(point, i)), {className: 'number'})),
      element('td', limitsOf(point)));
    linkToPoint(row, point);
    body.append(row);
  }
  byId('ends').replaceChildren(headRow(['best in', 'point', ...objectives, 'limited by']), body);
}

function answerText() {
  const without = data.points.length - feasible.length;
  const wanted = data.objectives.map(({text, maximise}) => `${maximise ? 'most' : 'least'} ${nameForPeople(text)}`).join(', ');
  const left_out = without > 0 ? ` ${count(without)} more have no results; the end of the page says why.` : '';
  if (feasible.length === 0) return `No point has results.${left_out}`;
  return `${count(feasible.length)} points have results and fulfil the constraints.${left_out} ${count(front.size)} are on the Pareto ` +
    `front of ${wanted}: for each of them, no other point is at least as good in everything and better in something.`;
}

// What is known of a network's accuracy: a range over the points, or why there is none.
function accuracyOf(name) {
  const known = feasible.map((point) => point.models.find((model) => model.name === name)?.accuracy ?? {unknown: 'no samples'});
  const percents = known.flatMap((each) => each.agreement_percent ?? []);
  const reasons = [...new Set(known.flatMap((each) => each.unknown ?? []))].join('; ');
  if (percents.length === 0) return `${name}: unknown (${reasons})`;
  const [least, most] = [Math.min(...percents), Math.max(...percents)].map(number);
  const range = least === most ? `${most} %` : `${least} to ${most} %`;
  const samples = known.find((each) => each.samples).samples;
  return `${name}: ${range} of ${count(samples)} samples${reasons ? `, of some points unknown (${reasons})` : ''}`;
}

const accuracyText = () => (feasible.length === 0 ? '' :
  `Agreement with the float model: ${Object.keys(data.manifest.models).map(accuracyOf).join('; ')}.`);

// Points whose milliseconds are at a clock that a device is estimated not to reach.
function clockText() {
  const warned = feasible.filter((point) => point.clock_warning);
  if (warned.length === 0) return '';
  const texts = [...new Set(warned.map((point) => point.clock_warning))];
  const first = texts.length > 1 ? 'for the first of them ' : '';
  return `Points with a clock above an estimate: ${count(warned.length)}; ${first}${texts[0]}.`;
}

function drawSummary() {
  document.title = `${data.name} - VTA sweep`;
  byId('title').textContent = data.name;
  byId('subtitle').textContent = `${Object.keys(data.manifest.models).join(', ')}; schedules: ${data.manifest.schedules}`;
  byId('answer').textContent = answerText();
  byId('clock-note').textContent = clockText();
  byId('accuracy-note').textContent = accuracyText();
  byId('area-note').textContent = `Resources: ${data.manifest.area}.`;
  byId('manifest').textContent = `${JSON.stringify({...data.manifest, sweep: undefined}, null, 1)}\n\n${data.manifest.sweep}`;
  byId('footer').textContent =
    `vta-sweep ${data.manifest.tool}. Charts: Apache ECharts ${echarts.version}, Apache License 2.0.`;
  byId('names').replaceChildren(...names.filter((name) => VALUES[name]).flatMap((name) =>
    [element('dt', `${nameForPeople(name)}, in expressions: ${name}`), element('dd', meaningOf(name))]));
}
