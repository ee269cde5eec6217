// Values of configurations in YAML texts that somebody has written: the rest of the text stays as it is.
import {YAMLMap, isMap, parseDocument} from 'yaml';
import type {Parameter} from '../engine/answers';

const pathOf = (parameter: Parameter) =>
  parameter.section ? [parameter.section, parameter.key] : [parameter.key];

/** "[qmul, clip]" as its names. */
export const namesIn = (list: string) =>
  list.replace(/^\[|\]$/g, '').split(',').map((name) => name.trim()).filter((name) => name !== '');

/** `yaml` with another value of a parameter, as files have it ("32KiB", "[qmul, clip]"). The text as it is if it is no
 * map. */
export function withValue(yaml: string, parameter: Parameter, value: string): string {
  const document = parseDocument(yaml);
  if (document.errors.length > 0) return yaml;
  if (document.contents === null) document.contents = document.createNode({}) as never;
  if (!isMap(document.contents)) return yaml;
  if (parameter.section && !isMap(document.get(parameter.section))) {
    const section = document.createNode({}, {flow: true}) as YAMLMap;
    document.set(parameter.section, section);
  }
  const names = parameter.kind === 'set' ? namesIn(value) : undefined;
  const plain = names ?? (parameter.kind === 'text' || !/^[0-9.]+$|^true$|^false$/.test(value) ? value : JSON.parse(value));
  document.setIn(pathOf(parameter), document.createNode(plain, {flow: true}));
  return document.toString({lineWidth: 100, flowCollectionPadding: false});
}
