import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '@lcs/cli/testing';
import { type LeaderUnderTest, startLeader, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let leader: LeaderUnderTest;
let folder: TemporaryFolder;
beforeEach(async () => {
  leader = await startLeader();
  folder = await temporaryFolder('export');
  await leader.client.createExperiment({ body: { experiment: 'yeast ramp' } });
});
afterEach(async () => {
  await leader[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const lcs = (args: readonly string[], isTTY = false) =>
  runProgram(args, { environment: { LCS_URL: leader.url }, isTTY });

describe('lcs export', () => {
  it('writes the data of an experiment to a zip file', async () => {
    const out = join(folder.path, 'data.zip');
    const ended = await lcs(['export', 'yeast ramp', '--out', out], true);
    expect(ended.code).toBe(0);
    expect(ended.out).toMatch(/data\.zip: \d+ rows, \d+\.\d MB\.\n$/);
    expect(ended.err).toMatch(/^\r(waiting|exporting)/);
    expect(await readdir(folder.path)).toEqual(['data.zip']);
    expect((await readFile(out)).subarray(0, 2).toString()).toBe('PK');
  });

  it('prints the result as JSON', async () => {
    const out = join(folder.path, 'data.zip');
    const args = ['--datasets', 'experiments, nope', '--format', 'parquet', '--by-unit', '--out', out, '--json'];
    const ended = await lcs(['export', 'yeast ramp', ...args], true);
    expect(ended.err).toBe('');
    expect(JSON.parse(ended.out)).toEqual({
      filename: expect.stringMatching(/^export_\d{14}_[0-9a-f]{6}\.zip$/),
      path: out,
      row_count: 1,
      bytes: (await readFile(out)).length,
      sha256: createHash('sha256')
        .update(await readFile(out))
        .digest('hex'),
      skipped: ['nope'],
    });
  });

  it('prints the fault of an invalid request', async () => {
    expect(await lcs(['export', 'nobody'])).toMatchObject({ code: 1, err: expect.stringContaining('nobody') });
    expect(await lcs(['export', 'yeast ramp', '--datasets', 'nope'])).toMatchObject({
      code: 1,
      err: expect.stringContaining("'nope'"),
    });
    expect(await lcs(['export', 'yeast ramp', '--from', 'noon'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('start_time'),
    });
    expect((await lcs(['export', 'yeast ramp', '--format', 'xlsx'])).code).toBe(2);
    const nowhere = join(folder.path, 'no', 'such', 'folder.zip');
    expect(await lcs(['export', 'yeast ramp', '--datasets', 'experiments', '--out', nowhere])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/folder\.zip cannot be written.*export_\d+_\w+\.zip/s),
    });
  });
});
