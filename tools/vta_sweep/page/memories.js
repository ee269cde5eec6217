// Points that differ in nothing but the memory: how their order changes with it.
'use strict';

const FIRST_RANKS = 10;
const accelerator = (point) => JSON.stringify(point.choices.slice(0, -1));

const nameOf = (point) => titleOf(point).replace(`memory=${point.memory}`, '').replace(/, $/, '') || 'the base';

// For each memory, rank and point of each accelerator that has results with all memories.
function ranksByMemory(memories) {
  const of = (memory) => feasible.filter((point) => point.memory === memory);
  const everywhere = memories.map((memory) => new Set(of(memory).map(accelerator)));
  const common = (point) => everywhere.every((keys) => keys.has(accelerator(point)));
  return memories.map((memory) => new Map(of(memory).filter(common).sort((a, b) => a.objectives[0] - b.objectives[0])
    .map((point, rank) => [accelerator(point), {rank: rank + 1, point}])));
}

// Kendall's tau of two rankings: 1 for the same order, -1 for the reversed one; of at most `most` accelerators.
function agreement(first, second, most = 1000) {
  const keys = [...first.keys()].slice(0, most);
  let balance = 0;
  let pairs = 0;
  for (let i = 0; i < keys.length; ++i) {
    for (let k = 0; k < i; ++k) {
      const [a, b] = [first, second].map((ranks) => ranks.get(keys[i]).point.objectives[0] - ranks.get(keys[k]).point.objectives[0]);
      balance += Math.sign(a * b);
      ++pairs;
    }
  }
  return pairs === 0 ? 1 : balance / pairs;
}

function memoriesText(memories, ranks) {
  const best = [...ranks[0].keys()][0];
  const places = memories.slice(1).map((memory, i) => {
    const {rank} = ranks[i + 1].get(best);
    const tau = agreement(ranks[0], ranks[i + 1]).toFixed(2);
    return `number ${rank} with ${memory} (agreement of the two orders, Kendall's tau: ${tau})`;
  });
  return `With ${memories[0]}, ${nameOf(ranks[0].get(best).point)} is the best of ${ranks[0].size} accelerators in ${nameForPeople(objectives[0])}. It is ${places.join(', and ')}. ` +
    `Lines: the accelerators that are among the ${FIRST_RANKS} best with any memory. Lines that cross are orders that change.`;
}

function drawMemories() {
  const memories = [...new Set(feasible.map((point) => point.memory))];
  const ranks = ranksByMemory(memories);
  byId('memories-section').hidden = memories.length < 2 || ranks[0].size < 2;
  if (byId('memories-section').hidden) return;
  byId('memories-note').textContent = memoriesText(memories, ranks);
  const best = [...new Set(ranks.flatMap((of) => [...of.keys()].slice(0, FIRST_RANKS)))];
  const name = (key) => nameOf(ranks[0].get(key).point);
  const room = Math.min(340, 0.35 * byId('memories').clientWidth);
  draw('memories', best.length * memories.length, {
    tooltip: {formatter: ({seriesName, value, name: memory}) => `<b>${escaped(seriesName)}</b><br>rank ${value} with ${escaped(memory)}`},
    grid: {left: 60, right: room + 20, top: 30, bottom: 40},
    xAxis: {type: 'category', data: memories, boundaryGap: false},
    yAxis: {type: 'value', inverse: true, min: 1, minInterval: 1, name: 'rank'},
    series: best.map((key, i) => ({
      type: 'line', name: name(key), symbolSize: 8, data: ranks.map((of) => of.get(key).rank), color: colourOfNumber(i),
      endLabel: {show: true, formatter: '{a}', width: room, overflow: 'break', fontSize: 11, lineHeight: 13, color: styleOf('soft')},
      emphasis: {focus: 'series'},
    })),
  });
}
