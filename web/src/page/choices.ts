// Lists of shipped files beside the texts that they fill in.
import {make} from './dom';

const OWN = '';

/** Fills `select` with the names of `texts` and an entry for a text of the reader's own. */
export function fillChoices(select: HTMLSelectElement, texts: Record<string, string>) {
  select.replaceChildren(...Object.keys(texts).map((name) => make('option', {value: name}, name)),
                         make('option', {value: OWN}, 'as written below'));
}

/** Selects the entry whose text is `text`, else that of the reader's own. */
export function showChoice(select: HTMLSelectElement, texts: Record<string, string>, text: string) {
  select.value = Object.keys(texts).find((name) => texts[name] === text) ?? OWN;
}
