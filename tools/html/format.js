// Numbers as people read them, and small helpers.
'use strict';

const byId = (id) => document.getElementById(id);
const escaped = (text) => echarts.format.encodeHTML(String(text));

const count = (value) => Math.round(value).toLocaleString('en');

// "1.50 K", "1.50 M", ...: a value with the largest unit that leaves at least 1.
function withUnit(value, base, units) {
  let unit = 0;
  for (; value >= base && unit < units.length - 1; ++unit) value /= base;
  return [value, units[unit], unit];
}
function bytes(value) {
  const [scaled, name, unit] = withUnit(value, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']);
  return `${unit === 0 ? scaled : scaled.toFixed(1)} ${name}`;
}
function energy(picojoules) {
  const [scaled, name] = withUnit(picojoules, 1000, ['pJ', 'nJ', 'µJ', 'mJ', 'J']);
  return `${scaled.toPrecision(3)} ${name}`;
}
function milliseconds(ms) {
  if (ms >= 1000) return `${(ms / 1000).toPrecision(3)} s`;
  return `${ms >= 100 ? ms.toFixed(0) : ms >= 0.1 ? ms.toPrecision(3) : ms.toFixed(3)} ms`;
}
const percent = (value) => `${value.toFixed(value > 0 && value < 9.95 ? 1 : 0)} %`;
const FORMATS = {text: (value) => value, count, bytes, energy, milliseconds, percent};

function element(tag, text, properties) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  return Object.assign(made, properties);
}
function swatch(colour, className = 'swatch') {
  const made = element('span', undefined, {className});
  made.style.background = colour;
  return made;
}

// A bar of `share` (0 to 1) of its track.
function bar(share, colour) {
  const track = element('div', undefined, {className: 'track'});
  const inner = element('div', undefined, {className: 'bar'});
  inner.style.width = `${100 * share}%`;
  inner.style.background = colour;
  track.append(inner);
  return track;
}

// Things that are compared with each other: the first ones get colours that are easy to tell apart.
const COLOURS = ['#2f6fb5', '#d18f00', '#3f8f4f', '#a23a92', '#14828a', '#c0504d'];
const colourOfNumber = (number) => COLOURS[number % COLOURS.length];

// "-12 %", coloured by whether that is better; nothing where there is nothing to compare with.
function difference(value, base, better) {
  const shown = element('span');
  if (!(base > 0) || value === undefined || value === base) return shown;
  const change = 100 * (value / base - 1);
  shown.textContent = ` ${change > 0 ? '+' : '\u2212'}${percent(Math.abs(change))}`;
  if (better !== 0) shown.className = change * better > 0 ? 'better' : 'worse';
  return shown;
}
