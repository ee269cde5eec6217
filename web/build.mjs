// Bundles the page. scripts/web calls it: node build.mjs --wasm FILE --outlines FOLDER --output FOLDER. Beside the output
// it writes engine-cli.mjs, the engine under Node; --engine-only writes nothing else.
//
// The page is opened from a folder, without a server, and browsers let such pages read no other files. So the engine
// and the worker are texts inside the script, and each network is a script of its own.
import {build} from 'esbuild';
import {copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {gzipSync} from 'node:zlib';

const {values: options} = parseArgs({
  options: {wasm: {type: 'string'}, outlines: {type: 'string'}, output: {type: 'string'}, 'engine-only': {type: 'boolean'}},
});
const {output} = options;
if (!output || !(options['engine-only'] || (options.wasm && options.outlines))) {
  throw new Error('usage: build.mjs --wasm FILE --outlines FOLDER --output FOLDER');
}
const root = fileURLToPath(new URL('..', import.meta.url));
const common = {bundle: true, target: 'es2022', logLevel: 'warning', minify: true, legalComments: 'none'};

/** Texts of the YAML files of a folder, by the files' names. */
function filesOf(folder) {
  const files = readdirSync(join(root, folder)).filter((file) => file.endsWith('.yaml')).sort();
  return Object.fromEntries(files.map((file) => [basename(file, '.yaml'), readFileSync(join(root, folder, file), 'utf8')]));
}

/** What shipped files begin with, for people who read them there. */
const withoutHead = (text) => text.replace(/^(#.*\n)+/, '');

function presets() {
  const hardware = Object.entries(filesOf('configs/hw')).map(([name, text]) => [name, withoutHead(text)]);
  const memories = Object.entries(filesOf('configs/memory')).filter(([, text]) => /^kind:/m.test(text))
    .map(([name, text]) => [name, withoutHead(text)]);
  const networks = Object.entries(JSON.parse(readFileSync(join(options.outlines, 'networks.json'), 'utf8')))
    .map(([name, {title}]) => [name, title]);
  return {
    hardware: Object.fromEntries(hardware), memories: Object.fromEntries(memories), networks: Object.fromEntries(networks),
  };
}

async function workerSource() {
  const result = await build({...common, entryPoints: ['src/worker.ts'], format: 'iife', write: false});
  return result.outputFiles[0].text;
}

/** The modules of src/page/modules.d.ts. */
function inserted() {
  const named = Object.entries(presets()).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
  return {
    name: 'inserted',
    setup(plugins) {
      plugins.onResolve({filter: /^vta:presets$/}, ({path}) => ({path, namespace: 'vta'}));
      plugins.onLoad({filter: /.*/, namespace: 'vta'}, () => ({contents: named.join('\n'), loader: 'js'}));
    },
  };
}

/** What src/page/client.ts starts. */
async function writeEngine() {
  const wasm = gzipSync(readFileSync(options.wasm), {level: 9}).toString('base64');
  const files = JSON.stringify({worker: await workerSource(), wasm});
  writeFileSync(join(output, 'engine.js'), `vtaEngine = ${files};\n`);
}

/** A script that is no module, because pages from files cannot load modules. Ours wait, so a function is around them. */
async function bundlePage(entry, name) {
  await build({...common, entryPoints: [entry], format: 'esm', outfile: join(output, name), plugins: [inserted()],
               banner: {js: '(async () => {'}, footer: {js: '})();'}});
}

function copyFiles() {
  for (const file of ['index.html', 'program.html', 'page.css']) copyFileSync(join('page', file), join(output, file));
  copyFileSync(join(root, 'third_party/echarts/echarts.min.js'), join(output, 'echarts.min.js'));
  for (const name of Object.keys(presets().networks)) {
    const packed = readFileSync(join(options.outlines, `${name}.json.gz`)).toString('base64');
    writeFileSync(join(output, 'networks', `${name}.js`), `vtaNetwork(${JSON.stringify(name)}, "${packed}");\n`);
  }
}

/** What the page is made of, with its licences. */
function copyLicences() {
  const echarts = ['LICENSE', 'LICENSE-d3', 'NOTICE'].map((file) => [`echarts-${file}`, join(root, 'third_party/echarts', file)]);
  const packages = ['libfmt-dev', 'libhwy-dev', 'nlohmann-json3-dev', 'wasi-libc', 'libc++-19-dev-wasm32']
    .map((name) => [name, `/usr/share/doc/${name}/copyright`]).filter(([, file]) => existsSync(file));
  const files = [['vta', join(root, 'LICENSE')], ['yaml', 'node_modules/yaml/LICENSE'], ...echarts, ...packages];
  mkdirSync(join(output, 'licences'));
  for (const [name, file] of files) copyFileSync(file, join(output, 'licences', `${name}.txt`));
}

await build({...common, minify: false, entryPoints: ['src/engine/cli.ts'], platform: 'neutral', external: ['node:*'],
             format: 'esm', outfile: join(output, '..', 'engine-cli.mjs')});
if (!options['engine-only']) {
  rmSync(output, {recursive: true, force: true});
  mkdirSync(join(output, 'networks'), {recursive: true});
  await writeEngine();
  await bundlePage('src/main.ts', 'page.js');
  await bundlePage('src/program.ts', 'program.js');
  copyFiles();
  copyLicences();
}
