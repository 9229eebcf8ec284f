import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { runProgram } from '@lcs/cli/testing';
import { type CapsuleReport, type LeaderNodeOptions, openCapsule, verifyCapsule } from '@lcs/cluster';
import { TimeSeries } from '@lcs/contract';
import { readZip, ZipFault } from '@lcs/node';
import { realClock, silentLog } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { observe } from '../observe.ts';

type History = Parameters<NonNullable<LeaderNodeOptions['extend']>>[0]['history'];

const hourMs = 3_600_000;
const saturated = 4;
const tools = { wire: realClock(), log: silentLog() };
const params = { experiment: 'yeast 1' };

const profile = `version: "1.0"
experiment_profile_name: Demo stirring
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s, options: {target_rpm: 400}}
        - {type: stop, t: 1h}
`;

let leader: LeaderUnderTest;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let capsule: string;

/** Two hours of two units, a reading each 20 s, with a dose, flags and a calibration. */
async function fill(write: History['write']): Promise<void> {
  const startMs = leader.clock.now() - 2 * hourMs;
  const uid = String(leader.storedRows('experiments')[0]?.uid);
  const context = { calibrationName: 'od90', calibrationHash: '9f1c', irLedIntensity: 80 };
  const place = { experimentUid: uid, source: 'od', channel: '2', angle: 90, derivation: null, context };
  const readings = ['rx01', 'rx02'].flatMap((_, series) =>
    Array.from({ length: 2 * 180 }, (__, index) => {
      const at = startMs + 20_000 * index + series;
      const diluted = at > startMs + hourMs ? 0.5 : 1;
      const scatter = 1 + 0.004 * Math.sin(7.3 * index + series);
      const value = 0.1 * diluted * Math.exp(((0.4 + 0.1 * series) * (at - startMs)) / hourMs) * scatter;
      return { series, at, value: index === 200 ? 9 : value, ...(index === 200 && { flags: saturated }) };
    }),
  );
  const series = ['rx01', 'rx02'].map((unit) => ({ ...place, unit }));
  await write({ series, readings, nowMs: leader.clock.now() });
  const dose = JSON.stringify({ event: 'add_media', volume_change_ml: 15, volume_before_ml: 15 });
  await leader.editStore((database) => {
    const insert = database.prepare(
      `insert into events (experiment_uid, reactor_unit, at, name, data, machine_id, boot, mono)
      values (?, ?, ?, 'dosing', ?, 'm', 1, ?)`,
    );
    for (const [mono, unit] of ['rx01', 'rx02'].entries()) insert.run(uid, unit, startMs + hourMs, dose, mono);
  });
}

beforeAll(async () => {
  let write: History['write'] | undefined;
  leader = await startLeader({
    observe,
    configure: {
      extend: ({ history }) => {
        write = history.write;
        return [];
      },
    },
  });
  folder = await temporaryFolder();
  await leader.client.createExperiment({ body: { experiment: 'yeast 1', description: 'A run', tags: ['paper'] } });
  if (write === undefined) throw new Error('The leader has no history.');
  await fill(write);
  const body = { activate: true, exclude_flags: ['saturated'] };
  await leader.finished((await leader.api.call('recomputeGrowth', { params, body })).expect(202));
  const smoothed = { smooth: true, units: ['rx02'], activate: false };
  await leader.finished((await leader.api.call('recomputeGrowth', { params, body: smoothed })).expect(202));
  (await leader.api.call('createExperimentProfile', { body: { filename: 'demo.yaml', body: profile } })).expect(200);
  const start = { args: ['execute', 'demo.yaml', 'yeast 1'], options: {} };
  const started = await leader.api.call('runJob', { params: { job: 'experiment_profile' }, body: start });
  expect(await leader.finished(started.expect(202))).toMatchObject({ status: 'succeeded' });
  // No worker: nothing to do, so it ends at once.
  await leader.clock.advance(1_000);
  capsule = join(folder.path, 'run.zip');
  const license = 'https://creativecommons.org/licenses/by/4.0/';
  const made = await runProgram(
    ['capsule', 'make', 'yeast 1', '--out', capsule, '--license', license, '--url', leader.url].map(String),
  );
  expect(made).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await leader[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

type Files = Map<string, Buffer>;

const filesOf = (path: string): Promise<Files> =>
  readZip(path, { entries: 1_000, totalBytes: 1e9, ratio: 1_000 }, async (members) => {
    const files: Files = new Map();
    for (const member of members) files.set(member.name, await buffer(await member.open()));
    return files;
  });

const manifest = 'manifest-sha256.txt';

/** Lists the files with their hashes as they are. */
function relisted(files: Files): void {
  files.delete(manifest);
  const lines = [...files].map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`);
  files.set(manifest, Buffer.from(lines.join('')));
}

/** The capsule with other content. */
async function changed(name: string, change: (files: Files) => void): Promise<string> {
  const files = await filesOf(capsule);
  change(files);
  const zip = new ZipFile();
  for (const [path, bytes] of files) zip.addBuffer(bytes, path);
  zip.end();
  const path = join(folder.path, `${name}.zip`);
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}

const json = (files: Files, path: string) => JSON.parse(String(files.get(path)));

const faultOf = async (path: string): Promise<string> => {
  const error = await verifyCapsule(path, tools).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ZipFault) return error.code;
  throw new Error('The capsule was not refused.', { cause: error });
};

describe('a run capsule', () => {
  it('describes all its files, and has the run, its calibrations and versions', async () => {
    const files = await filesOf(capsule);
    const crate = json(files, 'ro-crate-metadata.json');
    const find = (id: string) => crate['@graph'].find((entity: Record<string, unknown>) => entity['@id'] === id);
    const parts: string[] = find('./').hasPart.map((part: Record<string, string>) => part['@id']);
    expect(find('./')).toMatchObject({
      '@type': 'Dataset',
      name: 'yeast 1',
      description: 'A run',
      license: { '@id': 'https://creativecommons.org/licenses/by/4.0/' },
    });
    expect(new Set([...parts, 'ro-crate-metadata.json', manifest])).toEqual(new Set(files.keys()));
    expect(find('data/samples.parquet')).toMatchObject({
      '@type': 'File',
      encodingFormat: 'application/vnd.apache.parquet',
      sha256: createHash('sha256')
        .update(files.get('data/samples.parquet') ?? '')
        .digest('hex'),
    });
    expect(json(files, 'provenance.json').series).toContainEqual(
      expect.objectContaining({
        reactor_unit: 'rx01',
        source: 'od',
        channel: '2',
        calibrations: [expect.objectContaining({ name: 'od90', hash: '9f1c' })],
        readings_by_flags: [{ flags: ['saturated'], readings: 1 }],
      }),
    );
    expect(json(files, 'versions.json')).toMatchObject({ capsule_format: 1, flags: { saturated: 4 } });
    expect(json(files, 'results/growth_curves.json').units).toHaveLength(2);
    expect(files.has('configuration/config.ini')).toBe(true);
    expect(String(files.get('profiles/1-demo.yaml'))).toBe(profile);
  });

  it('is verified: growth rates and curves are computed again to the last bit', async () => {
    const report = await verifyCapsule(capsule, tools);
    expect(report).toMatchObject({ experiment: 'yeast 1', growth_curves: { units: 2, identical: 2 } });
    expect(report.growth_rates).toMatchObject([
      { reactor_unit: 'rx01', origin: 'recomputed', largest_difference: 0 },
      { reactor_unit: 'rx02', origin: 'recomputed', largest_difference: 0 },
      { reactor_unit: 'rx02', filter: expect.stringMatching(/^growth_smoother /), largest_difference: 0 },
    ]);
    for (const { rates, computed, identical } of report.growth_rates) {
      expect(rates).toBeGreaterThan(300);
      expect([computed, identical]).toEqual([rates, rates]);
    }
    const { code, out } = await runProgram(['capsule', 'verify', capsule]);
    expect(code).toBe(0);
    expect(out).toMatch(/^rx01 +recomputed +growth_filter \S+ +(\d+) +\1 +\1 +all digits/m);
  });

  it('that has other rates than its readings give is not confirmed', async () => {
    const path = await changed('rates', (files) => {
      const lines = String(files.get('data/derivations.jsonl'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const other = lines.map((row) => ({
        ...row,
        parameters: JSON.stringify({ ...JSON.parse(row.parameters), rateVarianceScale: 3 }),
      }));
      files.set('data/derivations.jsonl', Buffer.from(other.map((row) => `${JSON.stringify(row)}\n`).join('')));
      relisted(files);
    });
    const { code, out } = await runProgram(['capsule', 'verify', path, '--json']);
    expect(code).toBe(1);
    const [first]: CapsuleReport['growth_rates'] = JSON.parse(out).growth_rates;
    expect(first?.identical).toBeLessThan(first?.computed ?? 0);
    expect(first?.largest_difference).toBeGreaterThan(1e-6);
  });

  it('is shown read-only, with the same charts, and leaves nothing behind', async () => {
    const before = await readFile(capsule);
    const opened = await openCapsule({ path: capsule, port: 0, log: silentLog() });
    await opened.start(new AbortController().signal);
    try {
      const { origin } = new URL(opened.url);
      const path = '/api/experiments/yeast%201/time_series/growth_rates?lookback=1000000&target_points=1000000';
      const [shown, stored] = await Promise.all(
        [origin, leader.url].map(async (url) => Value.Parse(TimeSeries, await (await fetch(url + path)).json())),
      );
      expect(stored?.series).toEqual(['rx01', 'rx02']);
      expect(shown).toEqual(stored);
      expect((await fetch(opened.url)).status).toBe(200);
      const send = (method: string, target: string, body: object) =>
        fetch(origin + target, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
      for (const [method, target, body] of [
        ['POST', '/api/experiments', { experiment: 'other' }],
        ['DELETE', '/api/experiments/yeast%201', {}],
        ['PATCH', '/api/experiments/yeast%201', { description: 'changed' }],
        ['POST', '/api/experiments/yeast%201/growth_rates/recompute', {}],
        ['POST', '/api/people', { name: 'x', role: 'administrator', password: 'long enough 12345' }],
      ] as const)
        expect((await send(method, target, body)).status, `${method} ${target}`).toBe(403);
    } finally {
      await opened.stop();
    }
    expect((await readFile(capsule)).equals(before)).toBe(true);
  });

  it('that was made during a run of a profile does not continue it', async () => {
    const path = await changed('running', (files) => {
      const run = JSON.parse(String(files.get('data/profile_runs.jsonl')));
      const row = JSON.stringify({ ...run, ended_at: null, outcome: null });
      files.set('data/profile_runs.jsonl', Buffer.from(`${row}\n`));
      relisted(files);
    });
    const opened = await openCapsule({ path, port: 0, log: silentLog() });
    await opened.start(new AbortController().signal);
    try {
      const { origin } = new URL(opened.url);
      const read = async (target: string) => (await fetch(origin + target)).json();
      expect(await read('/api/experiments/yeast%201/experiment_profiles/recent')).toMatchObject([
        { outcome: 'stopped' },
      ]);
      expect(await read('/api/experiments/yeast%201/experiment_profiles/running')).toEqual([]);
    } finally {
      await opened.stop();
    }
  });

  it('of an unknown experiment is refused', async () => {
    (await leader.api.call('makeCapsule', { params: { experiment: 'none' }, body: {} })).expect(
      404,
      'experiment_not_found',
    );
    (await leader.api.call('makeCapsule', { params, body: { license: '' } })).expect(400, 'invalid_body');
    (await leader.api.call('makeCapsule', { params, body: {} })).expect(202);
  });
});

it('rates of another filter are not compared', async () => {
  const path = await changed('filter', (files) => {
    const text = String(files.get('data/derivations.jsonl')).replaceAll('"name":"growth_filter"', '"name":"another"');
    files.set('data/derivations.jsonl', Buffer.from(text));
    relisted(files);
  });
  const { code, out } = await runProgram(['capsule', 'verify', path, '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(out).growth_rates).toMatchObject([
    { reactor_unit: 'rx01', filter: expect.stringMatching(/^another /), is_compared: false, computed: 0 },
    { reactor_unit: 'rx02', is_compared: false },
    { reactor_unit: 'rx02', filter: expect.stringMatching(/^growth_smoother /), is_compared: true },
  ]);
});

describe('a hostile or damaged capsule is refused', () => {
  it.each<[string, (files: Files) => void, string]>([
    ['a changed file', (files) => files.set('README.txt', Buffer.from('other')), 'member_changed'],
    ['a file that is not listed', (files) => files.set('data/x.sh', Buffer.from('x')), 'member_unlisted'],
    ['a missing file', (files) => void files.delete('data/samples.parquet'), 'member_missing'],
    ['no manifest', (files) => void files.delete(manifest), 'member_missing'],
    ['an unreadable manifest', (files) => files.set(manifest, Buffer.from('x')), 'manifest_invalid'],
    [
      'metadata that are not JSON',
      (files) => {
        files.set('ro-crate-metadata.json', Buffer.from('{'));
        relisted(files);
      },
      'metadata_invalid',
    ],
    [
      'a file that the metadata do not describe',
      (files) => {
        files.set('extra.txt', Buffer.from('x'));
        relisted(files);
      },
      'metadata_invalid',
    ],
    [
      'a newer format',
      (files) => {
        files.set(
          'versions.json',
          Buffer.from(JSON.stringify({ ...json(files, 'versions.json'), capsule_format: 99 })),
        );
        relisted(files);
      },
      'newer_version',
    ],
    [
      'a column that does not exist',
      (files) => {
        files.set('data/events.jsonl', Buffer.from('{"id":1,"x) values (1); drop table events; --":1}\n'));
        relisted(files);
      },
      'newer_version',
    ],
    [
      'rows that cannot be stored',
      (files) => {
        files.set('data/series.jsonl', Buffer.from('{"id":1}\n'));
        relisted(files);
      },
      'metadata_invalid',
    ],
    [
      'no experiment',
      (files) => {
        for (const table of ['experiments', 'experiment_tags']) files.set(`data/${table}.jsonl`, Buffer.from(''));
        relisted(files);
      },
      'metadata_invalid',
    ],
    [
      'readings that are not Parquet',
      (files) => {
        files.set('data/samples.parquet', Buffer.from('PAR1 no PAR1'));
        relisted(files);
      },
      'metadata_invalid',
    ],
    [
      'a bomb',
      (files) => {
        files.set('data/logs.jsonl', Buffer.alloc(60_000_000));
        relisted(files);
      },
      'too_large',
    ],
  ])('%s', async (name, change, code) => {
    expect(await faultOf(await changed(name.replaceAll(' ', '-'), change))).toBe(code);
  });

  it('a truncated one, a text, and one whose names lead out of it', async () => {
    const bytes = await readFile(capsule);
    const cut = join(folder.path, 'cut.zip');
    await writeFile(cut, bytes);
    await truncate(cut, bytes.length - 500);
    expect(await faultOf(cut)).toBe('not_a_zip');
    const plain = join(folder.path, 'plain.zip');
    await writeFile(plain, 'text');
    expect(await faultOf(plain)).toBe('not_a_zip');
    const outside = await changed('outside', (files) => files.set('xx/evil', Buffer.from('x')));
    const patched = (await readFile(outside)).toString('latin1').replaceAll('xx/evil', '../evil');
    await writeFile(outside, Buffer.from(patched, 'latin1'));
    expect(await faultOf(outside)).toBe('not_a_zip');
    const result = await runProgram(['capsule', 'open', outside]);
    expect(result).toMatchObject({ code: 1, out: '' });
    expect(await runProgram(['capsule', 'verify', join(folder.path, 'none.zip')])).toMatchObject({ code: 1 });
  });
});
