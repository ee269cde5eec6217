// The page: what accelerator, for which network.
import * as presets from 'vta:presets';
import type {Description, Estimate, Failure, Hardware} from './engine/answers';
import {isFailure} from './engine/answers';
import {fillChoices, showChoice} from './page/choices';
import {startClient, type Client} from './page/client';
import {Comparison, type Figures} from './page/compare';
import {Controls} from './page/controls';
import {byId, download, make} from './page/dom';
import {layersCsv} from './page/exports';
import {arraysFor, outlinesOf} from './page/networks';
import {showArea, showEstimate} from './page/results';
import {keepState, keptState, linkOf, MOST_KEPT, stateOfLink, type KeptPoint, type Point, type State} from './page/state';
import {startTheme} from './page/theme';
import {withValue} from './page/yaml_edit';

const TYPING_PAUSE_MS = 250;
const SLIDING_PAUSE_MS = 80;

/** A failure of the engine, which knows what it is about. */
class PointError extends Error {
  constructor(readonly failure: Failure) {
    super(failure.error);
  }
}

function failIf<T extends object>(answer: T | Failure): T {
  if (isFailure(answer)) throw new PointError(answer);
  return answer as T;
}

const remedyFor = (arrays: string[]) => (arrays.length === 0
  ? 'Start from one of the shipped configurations: its widths and extensions, or use vta-sweep.'
  : `With these widths and extensions there are the arrays ${arrays.join(', ')}; vta-sweep takes any.`);

const firstOf = (texts: Record<string, string>, name: string) => texts[name] ?? Object.values(texts)[0] ?? '';

function initialState(): State {
  return stateOfLink(location.hash) ?? keptState() ?? {
    network: Object.keys(presets.networks)[0] ?? '',
    hardware: firstOf(presets.hardware, 'default'),
    memory: firstOf(presets.memories, 'simple'),
    effort: 'simulated',
    kept: [],
  };
}

class Page {
  private readonly state = initialState();
  private readonly network = byId<HTMLSelectElement>('network');
  private readonly preset = byId<HTMLSelectElement>('preset');
  private readonly memory_preset = byId<HTMLSelectElement>('memory-preset');
  private readonly effort = byId<HTMLSelectElement>('effort');
  private readonly hardware = byId<HTMLTextAreaElement>('hardware');
  private readonly memory = byId<HTMLTextAreaElement>('memory');
  private readonly controls: Controls;
  private readonly comparison: Comparison;
  private now: Figures | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private run = 0;

  constructor(private readonly client: Client, private readonly description: Description) {
    this.network.replaceChildren(...Object.entries(presets.networks).map(([value, title]) => make('option', {value}, title)));
    fillChoices(this.preset, presets.hardware);
    fillChoices(this.memory_preset, presets.memories);
    this.controls = new Controls(byId('controls'), description.parameters, (parameter, value) => {
      this.state.hardware = withValue(this.state.hardware, parameter, value);
      this.changed(SLIDING_PAUSE_MS);
    });
    this.comparison = new Comparison((point) => this.evaluate(point), (point) => this.take(point), (point) => this.drop(point));
    this.listen();
    startTheme(() => this.draw());
  }

  start() {
    this.changed();
  }

  private listen() {
    const choose = (select: HTMLSelectElement, use: (value: string) => void) =>
      select.addEventListener('change', () => {
        use(select.value);
        this.changed();
      });
    choose(this.network, (value) => (this.state.network = value));
    choose(this.effort, (value) => (this.state.effort = value === 'simulated' ? value : 'estimated'));
    choose(this.preset, (value) => (this.state.hardware = presets.hardware[value] ?? this.state.hardware));
    choose(this.memory_preset, (value) => (this.state.memory = presets.memories[value] ?? this.state.memory));
    for (const key of ['hardware', 'memory'] as const) {
      this[key].addEventListener('input', () => {
        this.state[key] = this[key].value;
        this.changed(TYPING_PAUSE_MS);
      });
    }
    byId('keep').addEventListener('click', () => this.keep());
    byId('link').addEventListener('click', () => void this.copyLink());
    byId('save-yaml').addEventListener('click', () => download('hardware.yaml', this.state.hardware, 'text/yaml'));
    byId('save-csv').addEventListener('click', () => {
      if (this.now) download('layers.csv', layersCsv(this.now.estimate), 'text/csv');
    });
    window.addEventListener('hashchange', () => {
      const state = stateOfLink(location.hash);
      if (state) Object.assign(this.state, state);
      this.changed();
    });
  }

  /** Shows the state, keeps it, and computes it again after a pause. */
  private changed(pause_ms = 0) {
    const {state} = this;
    keepState(state);
    this.network.value = state.network;
    this.effort.value = state.effort;
    showChoice(this.preset, presets.hardware, state.hardware);
    showChoice(this.memory_preset, presets.memories, state.memory);
    if (this.hardware.value !== state.hardware) this.hardware.value = state.hardware;
    if (this.memory.value !== state.memory) this.memory.value = state.memory;
    clearTimeout(this.timer);
    document.body.dataset.state = 'working';
    this.timer = setTimeout(() => void this.update(), pause_ms);
  }

  /** Only the newest run shows what it found. */
  private async update() {
    const run = ++this.run;
    this.client.abandon();
    const point: Point = {...this.state};
    byId('status').textContent = 'simulating\u2026';
    try {
      const started = performance.now();
      const hardware = await this.describeHardware(point, run);
      if (run !== this.run) return;
      // The estimate is there at once, and within some percent.
      for (const effort of point.effort === 'estimated' ? [point.effort] : (['estimated', 'simulated'] as const)) {
        const estimate = await this.estimate({...point, effort}, hardware);
        if (run !== this.run) return;
        this.show({estimate, hardware});
      }
      byId('status').textContent = `simulated in ${((performance.now() - started) / 1e3).toFixed(2)} s`;
    } catch (error) {
      if (run !== this.run) return;
      this.showProblem(error instanceof Error ? error : new Error(String(error)));
      byId('status').textContent = 'the figures are those of the last point without an error';
    }
    document.body.dataset.state = 'done';
    await this.comparison.show(this.state.kept, this.now);
  }

  private async describeHardware(point: Point, run: number): Promise<Hardware> {
    const hardware = await this.client.hardware(point.hardware);
    if (run === this.run) {
      this.controls.setEnabled(!isFailure(hardware));
      if (!isFailure(hardware)) {
        this.controls.show(hardware);
        showArea(hardware, this.description.devices);
      }
    }
    return failIf(hardware);
  }

  private async estimate(point: Point, hardware: Hardware): Promise<Estimate> {
    const outlines = await outlinesOf(point.network);
    const outline = outlines.get(hardware.outline);
    if (!outline) {
      throw new PointError({
        in: 'network',
        error: `${point.network} is not prepared for this accelerator. ${remedyFor(arraysFor(outlines, hardware.outline))}`,
      });
    }
    return failIf(await this.client.estimate(outline, point.hardware, point.memory, point.effort));
  }

  private async evaluate(point: Point): Promise<Figures> {
    const hardware = failIf(await this.client.hardware(point.hardware));
    return {hardware, estimate: await this.estimate(point, hardware)};
  }

  private showProblem(problem: Error | undefined) {
    const where = problem instanceof PointError ? problem.failure.in : undefined;
    byId('problem').textContent = problem ? problem.message : '';
    this.hardware.setAttribute('aria-invalid', String(where === 'hardware'));
    this.memory.setAttribute('aria-invalid', String(where === 'memory'));
    document.body.classList.toggle('stale', problem !== undefined);
  }

  private show(figures: Figures) {
    this.now = figures;
    this.showProblem(undefined);
    byId('status').textContent = 'trying schedules\u2026';
    this.draw();
  }

  private draw() {
    if (this.now) showEstimate(this.now.estimate);
  }

  private keep() {
    if (this.state.kept.length >= MOST_KEPT) {
      byId('status').textContent = `at most ${MOST_KEPT} points are kept: remove one first`;
      return;
    }
    const {network, hardware, memory, effort} = this.state;
    const name = this.now?.hardware.name ?? 'point';
    const label = `${this.state.kept.length + 1}: ${name}`;
    this.state.kept.push({network, hardware, memory, effort, label});
    this.changed();
  }

  private take({network, hardware, memory, effort}: KeptPoint) {
    Object.assign(this.state, {network, hardware, memory, effort});
    this.changed();
  }

  private drop(point: KeptPoint) {
    this.state.kept = this.state.kept.filter((kept) => kept !== point);
    this.changed();
  }

  private async copyLink() {
    history.replaceState(null, '', linkOf(this.state));
    try {
      await navigator.clipboard.writeText(location.href);
      byId('status').textContent = 'the link is in the clipboard, and in the address';
    } catch {
      byId('status').textContent = 'the address holds the link';
    }
  }
}

// On small screens the figures come before what may be changed in detail.
if (matchMedia('(max-width: 900px)').matches) {
  for (const part of document.querySelectorAll('details')) part.open = false;
}
try {
  const client = await startClient();
  new Page(client, await client.describe()).start();
} catch (error) {
  byId('problem').textContent = `The page cannot start: ${error instanceof Error ? error.message : String(error)}. ` +
    'It needs a browser with WebAssembly and workers.';
}
