// The page that steps through a program: its instructions left, the core right.
import * as presets from 'vta:presets';
import {isFailure, type Steps} from './engine/answers';
import {fromWord, toWord} from './page/bytes';
import {fillChoices, showChoice} from './page/choices';
import {startClient, type Client} from './page/client';
import {byId, make} from './page/dom';
import {whole} from './page/format';
import {startTheme} from './page/theme';
import {showCore} from './program/core_view';
import {phaseOf, turningPoints} from './program/machine';
import {Timeline} from './program/timeline';

const KEY = 'vta-program';
const TYPING_PAUSE_MS = 300;
const FRAME_MS = 60;

interface State {
  hardware: string;
  memory: string;
  assembler: string;
}

function parse(text: string | null | undefined): State | undefined {
  try {
    const state = JSON.parse(text ?? '') as State;
    return [state.hardware, state.memory, state.assembler].every((each) => typeof each === 'string') ? state : undefined;
  } catch {
    return undefined;
  }
}

function keptState(): State | undefined {
  try {
    return parse(localStorage.getItem(KEY));
  } catch {
    return undefined;  // pages from files may have no memory
  }
}

class ProgramPage {
  private readonly state: State;
  private readonly assembler = byId<HTMLTextAreaElement>('assembler');
  private readonly cycle = byId<HTMLInputElement>('cycle');
  private readonly preset = byId<HTMLSelectElement>('preset');
  private readonly memory_preset = byId<HTMLSelectElement>('memory-preset');
  private readonly timeline = new Timeline(byId('timeline'), (cycle) => this.moveTo(cycle));
  private steps: Steps | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private player: ReturnType<typeof setInterval> | undefined;
  private run = 0;

  constructor(private readonly client: Client) {
    const {hardware, memories} = presets;
    this.state = parse(fromWord(location.hash.slice(1))) ?? keptState() ??
      {hardware: hardware['default'] ?? '', memory: memories['simple'] ?? '', assembler: ''};
    fillChoices(this.preset, hardware);
    fillChoices(this.memory_preset, memories);
    this.listen();
    startTheme(() => undefined);
  }

  async start() {
    if (this.state.assembler === '') await this.useExample(1);
    else this.changed();
  }

  private listen() {
    const choose = (select: HTMLSelectElement, key: 'hardware' | 'memory', texts: Record<string, string>) =>
      select.addEventListener('change', () => {
        this.state[key] = texts[select.value] ?? this.state[key];
        this.changed();
      });
    choose(this.preset, 'hardware', presets.hardware);
    choose(this.memory_preset, 'memory', presets.memories);
    this.assembler.addEventListener('input', () => {
      this.state.assembler = this.assembler.value;
      this.changed(TYPING_PAUSE_MS);
    });
    byId('one').addEventListener('click', () => void this.useExample(1));
    byId('two').addEventListener('click', () => void this.useExample(2));
    byId('link').addEventListener('click', () => history.replaceState(null, '', `#${toWord(JSON.stringify(this.state))}`));
    this.cycle.addEventListener('input', () => this.moveTo(this.cycle.valueAsNumber));
    byId('next').addEventListener('click', () => this.moveTo(this.turningPoint(1)));
    byId('previous').addEventListener('click', () => this.moveTo(this.turningPoint(-1)));
    byId('play').addEventListener('click', () => this.play());
  }

  private async useExample(threads: 1 | 2) {
    const example = await this.client.example(this.state.hardware, threads);
    if (isFailure(example)) {
      this.showProblem(example.error);
      return;
    }
    this.state.assembler = example.assembler;
    this.changed();
  }

  private changed(pause_ms = 0) {
    const {state} = this;
    try {
      localStorage.setItem(KEY, JSON.stringify(state));
    } catch {
      // It holds until the page is closed.
    }
    showChoice(this.preset, presets.hardware, state.hardware);
    showChoice(this.memory_preset, presets.memories, state.memory);
    if (this.assembler.value !== state.assembler) this.assembler.value = state.assembler;
    clearTimeout(this.timer);
    document.body.dataset.state = 'working';
    this.timer = setTimeout(() => void this.update(), pause_ms);
  }

  private async update() {
    const run = ++this.run;
    try {
      const steps = await this.client.steps(this.state.hardware, this.state.memory, this.state.assembler);
      if (run !== this.run) return;
      if (isFailure(steps)) this.showProblem(steps.error);
      else this.show(steps);
    } catch (error) {
      this.showProblem(error instanceof Error ? error.message : String(error));
    }
    document.body.dataset.state = 'done';
  }

  private show(steps: Steps) {
    this.steps = steps;
    this.showProblem(steps.findings.map(([, text]) => text).join('\n'));
    this.assembler.setAttribute('aria-invalid', 'false');
    byId('total').textContent = `${whole(steps.cycles)} cycles, ${whole(steps.instructions.length)} instructions`;
    this.cycle.max = String(steps.cycles);
    this.timeline.draw(steps);
    byId('listing').replaceChildren(...steps.instructions.map((step, i) => {
      const line = make('button', {type: 'button'}, step.text);
      line.addEventListener('click', () => this.moveTo(step.started ?? 0));
      return make('li', {id: `step-${i}`, value: i}, line);
    }));
    this.moveTo(Math.min(this.cycle.valueAsNumber, steps.cycles));
  }

  private moveTo(cycle: number) {
    const {steps} = this;
    if (!steps) return;
    this.cycle.value = String(cycle);
    byId('now').textContent = `cycle ${whole(cycle)}`;
    this.timeline.moveTo(cycle);
    showCore(steps, cycle);
    steps.instructions.forEach((step, i) => {
      byId(`step-${i}`).className = `${step.unit} ${phaseOf(steps, i, cycle).replace(' ', '-')}`;
    });
  }

  /** The nearest cycle before or behind the present one in which anything begins or ends. */
  private turningPoint(direction: 1 | -1): number {
    const now = this.cycle.valueAsNumber;
    const points = this.steps ? turningPoints(this.steps) : [];
    const found = direction > 0 ? points.find((point) => point > now) : points.findLast((point) => point < now);
    return found ?? now;
  }

  private play() {
    const stop = () => {
      clearInterval(this.player);
      this.player = undefined;
      byId('play').textContent = 'Play';
    };
    if (this.player !== undefined) {
      stop();
      return;
    }
    byId('play').textContent = 'Pause';
    if (this.cycle.value === this.cycle.max) this.moveTo(0);
    this.player = setInterval(() => {
      const before = this.cycle.value;
      this.moveTo(this.turningPoint(1));
      if (this.cycle.value === before) stop();
    }, FRAME_MS);
  }

  private showProblem(text: string) {
    byId('problem').textContent = text;
    this.assembler.setAttribute('aria-invalid', String(text !== ''));
  }
}

try {
  await new ProgramPage(await startClient()).start();
} catch (error) {
  byId('problem').textContent = `The page cannot start: ${error instanceof Error ? error.message : String(error)}`;
}
