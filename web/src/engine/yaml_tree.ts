// YAML as the trees that the WebAssembly module reads (web/wasm/yaml_load.cpp).
import {Document, LineCounter, ParsedNode, isAlias, isMap, isScalar, isSeq, parseAllDocuments} from 'yaml';

/** [line, column, value], both from 0. */
export type TreeNode = [number, number, string | null | {items: TreeNode[]} | {entries: [TreeNode, TreeNode][]}];
export type YamlAnswer = {tree: TreeNode} | {error: string; line: number; column: number};

class TreeBuilder {
  constructor(private readonly lines: LineCounter, private readonly document: Document) {}

  build(node: unknown): TreeNode {
    if (isAlias(node)) return this.build(node.resolve(this.document));
    const offset = (node as ParsedNode | null)?.range?.[0] ?? 0;
    const {line, column} = placeOf(this.lines, offset);
    if (isMap(node)) {
      return [line, column, {entries: node.items.map((pair) => [this.build(pair.key), this.build(pair.value)])}];
    }
    if (isSeq(node)) return [line, column, {items: node.items.map((item) => this.build(item))}];
    if (isScalar(node) && node.value !== null) return [line, column, node.source ?? String(node.value)];
    return [line, column, null];
  }
}

function placeOf(lines: LineCounter, offset: number) {
  const {line, col} = lines.linePos(offset);
  return {line: Math.max(line - 1, 0), column: Math.max(col - 1, 0)};
}

/** The one document of `text`, or why there is none and where. */
export function parseYaml(text: string): YamlAnswer {
  const lines = new LineCounter();
  // Keys that appear twice are the readers' to report: they name the key's path.
  const documents = parseAllDocuments(text, {lineCounter: lines, uniqueKeys: false, prettyErrors: false});
  const document = documents[0];
  if (!document) return {tree: [0, 0, null]};
  const broken = document.errors[0];
  if (broken) return {error: `not valid YAML: ${broken.message}`, ...placeOf(lines, broken.pos[0])};
  const second = documents[1];
  if (second) {
    const start = second.range?.[0] ?? 0;
    return {error: 'a second YAML document begins; the file must have one', ...placeOf(lines, start)};
  }
  return {tree: new TreeBuilder(lines, document).build(document.contents)};
}
