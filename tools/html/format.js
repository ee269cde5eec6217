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
  if (ms === 0) return '0 ms';
  const [scaled, name] = withUnit(ms * 1e6, 1000, ['ns', 'µs', 'ms', 's']);
  return `${scaled >= 100 ? scaled.toFixed(0) : scaled.toPrecision(3)} ${name}`;
}
// A duration, an energy or a size in the unit that suits the largest value of a column: [function to its text, unit].
const COLUMN_UNITS = {
  milliseconds: [1000, ['ns', 'µs', 'ms', 's'], 1e6],
  energy: [1000, ['pJ', 'nJ', 'µJ', 'mJ', 'J'], 1],
  bytes: [1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB'], 1],
};
function columnFormat(format, values) {
  if (!COLUMN_UNITS[format]) return [FORMATS[format], ''];
  const [base, units, smallest] = COLUMN_UNITS[format];
  const largest = Math.max(0, ...values.filter((value) => value != null)) * smallest;
  const [scaled, unit, power] = withUnit(largest, base, units);
  const digits = power === 0 && format === 'bytes' ? 0 : scaled >= 100 ? 1 : scaled >= 10 ? 2 : 3;
  return [(value) => (value * smallest / base ** power).toFixed(digits), unit];
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

// `name` without a part in which it is like others: they are alike in their first `begin` and their last `end` characters.
function cutAround(name, begin, end, most) {
  const kept = most - 1;
  const letters = Array.from(name);
  const part = (from, to) => letters.slice(from, to).join('');
  const [to_end, to_begin] = [letters.length - begin, letters.length - end];
  if (to_end + 4 <= kept) {
    const tail = Math.max(to_end, Math.floor(kept / 2));
    return `${part(0, kept - tail)}…${part(letters.length - tail)}`;
  }
  if (to_begin + 4 <= kept) {
    const head = Math.max(to_begin, Math.floor(kept / 2));
    return `${part(0, head)}…${part(letters.length - (kept - head))}`;
  }
  const middle = most - 10;
  const from = Math.max(Math.min(begin, letters.length - 4 - middle), 4);
  return `${part(0, 4)}…${part(from, from + middle)}…${part(letters.length - 4)}`;
}
function sameLetters(names) {
  let begin = 0;
  while (names.every((name) => begin < name.length && name[begin] === names[0][begin])) ++begin;
  return begin;
}
// Names of at most `most` characters (20 or more) by the names that they stand for; different names stay different.
function shortNames(names, most) {
  const different = [...new Set(names)];
  const shorts = new Map(different.map((name) => [name, Array.from(name).length <= most ? name : cutAround(name, 0, 0, most)]));
  for (let round = 0; round < 8; ++round) {
    const alike = new Map();
    for (const name of different) alike.set(shorts.get(name), [...(alike.get(shorts.get(name)) ?? []), name]);
    for (const group of alike.values()) {
      if (group.length < 2) continue;
      const begin = sameLetters(group.map((name) => Array.from(name)));
      const end = sameLetters(group.map((name) => Array.from(name).reverse()));
      for (const name of group) {
        if (Array.from(name).length > most) shorts.set(name, cutAround(name, begin, end, most));
      }
    }
  }
  const taken = new Set();
  for (const name of different) {
    const short = shorts.get(name);
    for (let number = 2; taken.has(shorts.get(name)); ++number) {
      shorts.set(name, `${Array.from(short).slice(0, most - 1 - String(number).length).join('')}~${number}`);
    }
    taken.add(shorts.get(name));
  }
  return shorts;
}

// A button that saves a table as comma-separated values. Text that a spreadsheet would take for a formula gets a quote.
function csvOf(table) {
  const cellText = (cell) => {
    const text = cell.dataset.value ?? cell.title ?? cell.textContent;
    const shown = text === '' ? cell.textContent : text;
    const safe = cell.dataset.value === undefined && /^[=+\-@\t\r]/.test(shown) ? `'${shown}` : shown;
    return `"${safe.trim().replaceAll('"', '""')}"`;
  };
  return [...table.rows].map((row) => [...row.cells].map(cellText).join(',')).join('\r\n');
}
function makeExport(id, name) {
  const button = element('button', 'Save this table as CSV', {type: 'button', className: 'screen export'});
  button.addEventListener('click', () => {
    const url = URL.createObjectURL(new Blob([csvOf(byId(id))], {type: 'text/csv'}));
    element('a', undefined, {href: url, download: `${name}.csv`}).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  });
  byId(id).parentNode.after(button);
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
