// Checks of the page in a browser: node page_checks.mjs CHECK. page_test.py runs each.
import assert from 'node:assert/strict';
import {readFileSync, statSync, readdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const {chromium} = createRequire(`${root}/web/package.json`)('playwright-core');
const folder = `${root}/build-web/page`;
const browser_file = process.env.VTA_CHROMIUM;

const cyclesOf = async (page) => Number((await page.textContent('#tile-cycles .value')).replaceAll(',', ''));

/** Until the newest point is computed. */
async function settled(page) {
  await page.waitForTimeout(400);
  await page.waitForFunction(() => document.body.dataset.state === 'done', null, {timeout: 60_000});
}

async function openPage(context, hash = '', file = 'index.html') {
  const page = await context.newPage();
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(error.message));
  page.on('request', (request) => {
    if (!/^(file|blob|data):/.test(request.url())) page.problems.push(`asked for ${request.url()}`);
  });
  await page.goto(`file://${folder}/${file}${hash}`);
  await settled(page);
  return page;
}

const openProgram = (context, hash = '') => openPage(context, hash, 'program.html');

const totalOf = async (page) => Number((await page.textContent('#total')).replaceAll(',', '').split(' ')[0]);

/** The digits network with quick schedules. */
async function openDigits(context) {
  const page = await openPage(context);
  await page.selectOption('#network', 'digits');
  await page.selectOption('#effort', 'estimated');
  await settled(page);
  return page;
}

const checks = {
  async figures({context}) {
    const page = await openDigits(context);
    assert.equal(await page.textContent('#problem'), '');
    assert.equal(await cyclesOf(page), Number(process.env.VTA_EXPECTED_CYCLES));
    assert.match(await page.textContent('#tile-ms .value'), / ms$/);
    assert.match(await page.textContent('#tile-limit .value'), /\w/);
    assert.match(await page.textContent('#area-dsp .value'), /^\d/);
    assert.ok(await page.locator('#layers svg path').count() > 5);
    assert.ok(await page.locator('#roofline svg path').count() > 5);
    return page;
  },

  async everyNetworkHasFigures({context}) {
    const page = await openPage(context);
    await page.selectOption('#effort', 'estimated');
    for (const option of await page.locator('#network option').all()) {
      await page.selectOption('#network', await option.getAttribute('value'));
      await settled(page);
      assert.equal(await page.textContent('#problem'), '', await option.textContent());
    }
    return page;
  },

  async controlsChangeTheText({context}) {
    const page = await openDigits(context);
    const before = await cyclesOf(page);
    const slider = page.locator('label.row', {hasText: 'data_width_bits'}).locator('input');
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await settled(page);
    assert.match(await page.inputValue('#hardware'), /data_width_bits: 128/);
    assert.ok(await cyclesOf(page) < before);
    assert.equal(await page.inputValue('#preset'), '');
    await page.selectOption('#preset', 'default');
    await settled(page);
    assert.equal(await cyclesOf(page), before);
    return page;
  },

  async newerChoicesDoNotWait({context}) {
    const page = await openPage(context);
    await page.selectOption('#effort', 'simulated');
    for (const network of ['densenet121', 'resnet50', 'digits']) {
      await page.selectOption('#network', network);
      await page.waitForTimeout(150);
    }
    await settled(page);
    assert.equal(await page.textContent('#problem'), '');
    assert.match(await page.textContent('#status'), /^simulated in/);
    const cycles = await cyclesOf(page);
    await page.selectOption('#effort', 'estimated');
    await settled(page);
    assert.ok(Math.abs(cycles / await cyclesOf(page) - 1) < 0.2);
    return page;
  },

  async clockChangesTimeAlone({context}) {
    const page = await openDigits(context);
    const [cycles, ms] = [await cyclesOf(page), parseFloat(await page.textContent('#tile-ms .value'))];
    await page.locator('label.row', {hasText: 'clock_mhz'}).locator('input').fill('200');
    await page.keyboard.press('Tab');
    await settled(page);
    assert.equal(await cyclesOf(page), cycles);
    assert.ok(Math.abs(parseFloat(await page.textContent('#tile-ms .value')) / ms - 0.5) < 0.01);
    return page;
  },

  async mistakesAreExplainedAndKept({context}) {
    const page = await openDigits(context);
    const cycles = await cyclesOf(page);
    await page.fill('#hardware', 'gemm: {block_im: 16}\n');
    await settled(page);
    assert.match(await page.textContent('#problem'), /hardware\.yaml:1:8: unknown key gemm\.block_im.*did you mean block_in/);
    assert.equal(await page.getAttribute('#hardware', 'aria-invalid'), 'true');
    assert.equal(await cyclesOf(page), cycles);
    await page.reload();
    await settled(page);
    assert.equal(await page.inputValue('#hardware'), 'gemm: {block_im: 16}\n');
    await page.fill('#hardware', 'gemm: {block_in: 128}\n');
    await settled(page);
    assert.match(await page.textContent('#problem'), /digits is not prepared.* 1x16x16, .*1x32x64/);
    await page.fill('#hardware', 'isa: {extensions: [qmul, transpose]}\n');
    await settled(page);
    assert.match(await page.textContent('#problem'), /one of the shipped configurations/);
    await page.fill('#hardware', '{}\n');
    await page.getByText('Memory as YAML').click();
    await page.fill('#memory', 'kind: simple\n');
    await settled(page);
    assert.match(await page.textContent('#problem'), /memory\.yaml:1:1: key outstanding is missing/);
    return page;
  },

  async linksHoldTheState({context, other}) {
    const page = await openDigits(context);
    await page.fill('#hardware', 'name: mine\naxi: {data_width_bits: 256}\n');
    await settled(page);
    await page.click('#keep');
    await page.click('#link');
    await settled(page);
    const second = await openPage(other, new URL(page.url()).hash);
    assert.equal(await second.inputValue('#hardware'), 'name: mine\naxi: {data_width_bits: 256}\n');
    assert.equal(await second.inputValue('#network'), 'digits');
    assert.equal(await cyclesOf(second), await cyclesOf(page));
    assert.equal(await second.locator('#kept-rows tr').count(), 1);
    const third = await openPage(other, '#broken');
    assert.equal(await third.inputValue('#network'), 'digits');
    return second;
  },

  async pointsAreCompared({context}) {
    const page = await openDigits(context);
    const first = await cyclesOf(page);
    for (let i = 0; i < 7; ++i) await page.click('#keep');
    await settled(page);
    assert.equal(await page.locator('#kept-rows tr').count(), 6);
    await page.selectOption('#preset', 'large-1x32x32');
    await settled(page);
    assert.notEqual(await cyclesOf(page), first);
    await page.locator('#kept-rows tr', {hasText: first.toLocaleString('en-US')}).nth(5).waitFor({timeout: 60_000});
    await page.locator('#kept-rows tr').first().getByRole('button').last().click();
    await settled(page);
    assert.equal(await page.locator('#kept-rows tr').count(), 5);
    await page.locator('#kept-rows tr').first().getByRole('button').first().click();
    await settled(page);
    assert.equal(await cyclesOf(page), first);
    return page;
  },

  async filesAreWritten({context}) {
    const page = await openDigits(context);
    const saved = async (button) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
      return readFileSync(await download.path(), 'utf8');
    };
    assert.equal(await saved('#save-yaml'), await page.inputValue('#hardware'));
    const rows = (await saved('#save-csv')).trim().split('\n');
    assert.match(rows[0], /^layer,macs,cycles,/);
    assert.equal(Number(rows.at(-1).split(',')[2]), await cyclesOf(page));
    return page;
  },

  async smallScreensHaveNoSideways({browser}) {
    const context = await browser.newContext({viewport: {width: 360, height: 700}, colorScheme: 'dark'});
    const page = await openDigits(context);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
    await page.click('#theme');
    assert.equal(await page.getAttribute('html', 'data-theme'), 'light');
    await page.reload();
    await settled(page);
    assert.equal(await page.getAttribute('html', 'data-theme'), 'light');
    return page;
  },

  async everyControlHasALabel({context}) {
    const page = await openDigits(context);
    const unlabelled = await page.$$eval('input, select, textarea, button', (elements) => elements
      .filter((element) => !element.labels?.length && !element.ariaLabel && !element.textContent.trim())
      .map((element) => element.outerHTML));
    assert.deepEqual(unlabelled, []);
    return page;
  },

  async twoVirtualThreadsAreQuicker({context}) {
    const page = await openProgram(context);
    const one = await totalOf(page);
    await page.click('#two');
    await settled(page);
    assert.ok(await totalOf(page) < one);
    assert.equal(await page.textContent('#problem'), '');
    assert.ok(await page.locator('#timeline rect').count() > 20);
    return page;
  },

  async programsAreSteppedThrough({context}) {
    const page = await openProgram(context);
    assert.equal(await page.locator('#listing .to-come').count(), await page.locator('#listing li').count());
    for (let i = 0; i < 200 && !/running/.test(await page.getAttribute('#step-3', 'class')); ++i) {
      await page.click('#next');
    }
    assert.match(await page.textContent('#unit-load .running'), /3: load inp/);
    assert.match(await page.textContent('#unit-compute .running, #unit-store .running'), /\w/);
    assert.match(await page.textContent('#unit-store .running'), /waits for a token from compute/);
    await page.click('#previous');
    assert.match(await page.getAttribute('#step-3', 'class'), /queued/);
    await page.focus('#cycle');
    await page.keyboard.press('End');
    assert.equal(await page.locator('#listing .done').count(), await page.locator('#listing li').count());
    await page.click('#step-3 button');
    assert.match(await page.getAttribute('#step-3', 'class'), /running/);
    await page.click('#play');
    await page.waitForTimeout(300);
    await page.click('#play');
    assert.doesNotMatch(await page.textContent('#now'), /^cycle 0$/);
    return page;
  },

  async programsMayBeWritten({context, other}) {
    const page = await openProgram(context);
    await page.getByText('Assembler', {exact: true}).click();
    await page.fill('#assembler', 'finish\nbegin\n');
    await settled(page);
    assert.match(await page.textContent('#problem'), /program\.s:2:1: unknown instruction/);
    await page.fill('#assembler', 'finish pop_next\n');
    await settled(page);
    assert.match(await page.textContent('#problem'), /waits at instruction 0/);
    await page.fill('#assembler', 'gemm uop=0:1 iter=1x4 dst=0,1 src=0,0 wgt=0,0 reset\nfinish\n');
    await settled(page);
    assert.equal(await page.locator('#listing li').count(), 2);
    await page.click('#link');
    const second = await openProgram(other, new URL(page.url()).hash);
    assert.equal(await totalOf(second), await totalOf(page));
    await page.reload();
    await settled(page);
    assert.match(await page.inputValue('#assembler'), /^gemm/);
    return second;
  },

  async programsFitSmallScreens({browser}) {
    const page = await openProgram(await browser.newContext({viewport: {width: 360, height: 700}, colorScheme: 'dark'}));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    return page;
  },

  async theFolderIsSmall() {
    const sizes = (path) => readdirSync(path, {withFileTypes: true}).flatMap((entry) =>
      entry.isDirectory() ? sizes(`${path}/${entry.name}`) : [statSync(`${path}/${entry.name}`).size]);
    assert.ok(sizes(folder).reduce((sum, size) => sum + size) < 3e6);
  },
};

const browser = await chromium.launch({executablePath: browser_file, args: ['--no-sandbox']});
try {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}});
  const page = await checks[process.argv[2]]({browser, context, other: await browser.newContext()});
  assert.deepEqual(page?.problems ?? [], []);
} finally {
  await browser.close();
}
