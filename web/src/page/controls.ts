// Controls for the parameters of configurations, made from the engine's table of them.
import type {Hardware, Parameter} from '../engine/answers';
import {make} from './dom';
import {namesIn} from './yaml_edit';

type Changed = (parameter: Parameter, value: string) => void;

interface Control {
  element: HTMLElement;
  show(value: string): void;
}

const BYTES = /^(\d+)(KiB|MiB|GiB)?$/;
const UNITS: Record<string, number> = {KiB: 10, MiB: 20, GiB: 30};
const LEAST_BYTES_LOG2 = 8;
const MOST_BYTES_LOG2 = 24;

const fullKey = (parameter: Parameter) => (parameter.section ? `${parameter.section}.${parameter.key}` : parameter.key);

/** 15 as "32KiB". */
function sizeText(log2: number): string {
  if (log2 >= 20) return `${2 ** (log2 - 20)}MiB`;
  return log2 >= 10 ? `${2 ** (log2 - 10)}KiB` : String(2 ** log2);
}

/** The nearest exponent of "32KiB". */
function log2OfSize(text: string): number {
  const [, digits, unit] = BYTES.exec(text) ?? [];
  return Math.round(Math.log2(Number(digits ?? 1))) + (unit ? (UNITS[unit] ?? 0) : 0);
}

/** A slider over whole positions, with the value that the position stands for beside it. */
function slider(parameter: Parameter, from: number, to: number, textAt: (at: number) => string,
                positionOf: (text: string) => number, changed: Changed): Control {
  const shown = make('output');
  const input = make('input', {type: 'range', min: String(from), max: String(to), step: '1'});
  input.addEventListener('input', () => {
    shown.value = textAt(input.valueAsNumber);
    input.setAttribute('aria-valuetext', shown.value);
    changed(parameter, shown.value);
  });
  const show = (value: string) => {
    input.value = String(positionOf(value));
    shown.value = value;
    input.setAttribute('aria-valuetext', `${value} ${parameter.unit}`.trim());
  };
  return {element: make('span', {className: 'slider'}, input, shown), show};
}

function numberField(parameter: Parameter, changed: Changed): Control {
  const input = make('input', {
    type: 'number', min: String(parameter.min ?? 0), max: String(parameter.max ?? 0),
    step: parameter.kind === 'decimal' ? 'any' : '1',
  });
  input.addEventListener('change', () => changed(parameter, input.value));
  return {element: input, show: (value) => (input.value = value)};
}

function choice(parameter: Parameter, changed: Changed): Control {
  const select = make('select', {}, ...(parameter.names ?? []).map((name) => make('option', {value: name}, name)));
  select.addEventListener('change', () => changed(parameter, select.value));
  return {element: select, show: (value) => (select.value = value)};
}

function flag(parameter: Parameter, changed: Changed): Control {
  const input = make('input', {type: 'checkbox'});
  input.addEventListener('change', () => changed(parameter, String(input.checked)));
  return {element: input, show: (value) => (input.checked = value === 'true')};
}

function set(parameter: Parameter, changed: Changed): Control {
  const boxes = (parameter.names ?? []).map((name) => make('input', {type: 'checkbox', value: name}));
  const values = () => `[${boxes.filter((box) => box.checked).map((box) => box.value).join(', ')}]`;
  for (const box of boxes) box.addEventListener('change', () => changed(parameter, values()));
  const labels = boxes.map((box) => make('label', {className: 'member'}, box, ` ${box.value}`));
  const show = (value: string) => {
    for (const box of boxes) box.checked = namesIn(value).includes(box.value);
  };
  return {element: make('span', {className: 'set'}, ...labels), show};
}

function controlFor(parameter: Parameter, changed: Changed): Control | undefined {
  const {kind, min = 0, max = 0} = parameter;
  if (kind === 'bytes') {
    return slider(parameter, LEAST_BYTES_LOG2, MOST_BYTES_LOG2, sizeText, log2OfSize, changed);
  }
  if (kind === 'integer' && parameter.power_of_two) {
    return slider(parameter, Math.log2(min), Math.log2(max), (at) => String(2 ** at),
                  (text) => Math.log2(Number(text)), changed);
  }
  if (kind === 'integer' || kind === 'decimal') return numberField(parameter, changed);
  if (kind === 'choice') return choice(parameter, changed);
  if (kind === 'flag') return flag(parameter, changed);
  return kind === 'set' ? set(parameter, changed) : undefined;
}

/** Controls for all parameters, by the sections of configuration files. */
export class Controls {
  private readonly controls = new Map<string, Control>();
  private readonly fields: HTMLFieldSetElement[] = [];

  /** `changed` hears of every change that the reader makes, with the value as files have it. */
  constructor(place: HTMLElement, parameters: Parameter[], changed: Changed) {
    const sections = new Map<string, HTMLFieldSetElement>();
    // What belongs to no section is asked for most often.
    for (const parameter of [...parameters].sort((a, b) => Number(a.section !== '') - Number(b.section !== ''))) {
      const control = controlFor(parameter, changed);
      if (!control) continue;
      this.controls.set(fullKey(parameter), control);
      const name = parameter.section || 'clock and timing';
      let section = sections.get(name);
      if (!section) {
        section = make('fieldset', {}, make('legend', {textContent: name}));
        sections.set(name, section);
        this.fields.push(section);
        place.append(section);
      }
      section.append(this.row(parameter, control));
    }
  }

  /** Shows the values of a legal configuration. */
  show(hardware: Hardware) {
    for (const [key, control] of this.controls) control.show(hardware.values[key] ?? '');
  }

  /** A text that is no configuration has no values to change. */
  setEnabled(is_enabled: boolean) {
    for (const field of this.fields) field.disabled = !is_enabled;
  }

  private row(parameter: Parameter, control: Control): HTMLElement {
    const about = `${parameter.doc}; legal: ${parameter.legal}`;
    if (parameter.kind === 'set') {
      control.element.setAttribute('role', 'group');
      control.element.setAttribute('aria-label', fullKey(parameter));
      return make('div', {className: 'row', title: about}, make('span', {}, parameter.key), control.element);
    }
    const unit = parameter.unit ? ` (${parameter.unit})` : '';
    return make('label', {className: 'row', title: about}, make('span', {}, parameter.key + unit), control.element);
  }
}
