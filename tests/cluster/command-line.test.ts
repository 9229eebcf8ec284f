import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '@lcs/cli/testing';
import { type LeaderUnderTest, startLeader, startLeaderProcess, temporaryFolder } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../../packages/cli/bin/lcs.js', import.meta.url));

const lcs = (...args: string[]) => runProgram(args);

describe('commands to a leader', () => {
  let leader: LeaderUnderTest;
  beforeAll(async () => {
    leader = await startLeader();
  });
  afterAll(() => leader[Symbol.asyncDispose]());
  const experiments = (...args: string[]) => lcs('experiments', ...args, '--url', leader.url);

  it('create, list, show and delete experiments, for people', async () => {
    expect(await experiments('list')).toMatchObject({
      code: 0,
      out: expect.stringContaining('lcs experiments create'),
    });
    expect(await experiments('create', 'yeast ramp', '--tag', 'yeast', '--tag', 'ramp', '--description', 'up')).toEqual(
      {
        code: 0,
        out: 'Created yeast ramp.\n',
        err: '',
      },
    );
    const list = await experiments('list');
    expect(list.out).toMatch(/^EXPERIMENT +CREATED +HOURS +WORKERS +TAGS\nyeast ramp +20.*Z +0 +0 +yeast, ramp\n$/);
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await leader.client.assignWorker({ params: { experiment: 'yeast ramp' }, body: { reactor_unit: 'rx01' } });
    expect((await experiments('show', 'yeast ramp')).out).toContain('rx01');
    expect((await lcs('status', '--url', leader.url)).out).toContain('1 (1 active)');
    expect(await experiments('delete', 'yeast ramp')).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    expect(await experiments('delete', 'yeast ramp', '--yes')).toEqual({
      code: 0,
      out: 'Deleted yeast ramp.\n',
      err: '',
    });
  });

  it('print one JSON value for programs, also for failures', async () => {
    const created = await experiments('create', 'a', '--json');
    expect(JSON.parse(created.out)).toEqual(await leader.client.getExperiment({ params: { experiment: 'a' } }));
    expect(JSON.parse((await experiments('list', '--json')).out)).toHaveLength(1);
    expect(JSON.parse((await experiments('show', 'a', '--json')).out)).toMatchObject({ experiment: 'a', workers: [] });
    expect(JSON.parse((await lcs('status', '--url', leader.url, '--json')).out)).toMatchObject({
      leader: 'lead',
      experiments: 1,
    });
    const taken = await experiments('create', 'a', '--json');
    expect({ ...taken, err: JSON.parse(taken.err) }).toMatchObject({
      code: 1,
      out: '',
      err: { status: 409, code: 'experiment_name_taken' },
    });
    expect(JSON.parse((await experiments('delete', 'a', '--yes', '--json')).out)).toMatchObject({ result: true });
  });

  it('print what happened, why, and what to do next', async () => {
    const unknown = await experiments('show', 'nobody');
    expect(unknown).toMatchObject({ code: 1, out: '' });
    expect(unknown.err).toContain('Experiment nobody does not exist.');
    expect(unknown.err).toContain('List /api/experiments');
    const away = await lcs('status', '--url', 'http://127.0.0.1:9');
    expect(away).toMatchObject({ code: 1, out: '' });
    expect(away.err).toContain('127.0.0.1:9');
    expect(away.err).not.toContain('    at ');
    expect(await experiments('show', '..')).toMatchObject({
      code: 2,
      out: '',
      err: expect.not.stringContaining('    at '),
    });
    expect(await experiments('delete', '', '--yes')).toMatchObject({ code: 2, out: '' });
    expect(await lcs('experimints')).toMatchObject({ code: 2, err: expect.stringContaining('experiments') });
    expect(await lcs('status', '--url', 'nonsense')).toMatchObject({ code: 1, out: '' });
  });
});

describe('output to a terminal', () => {
  it('contains no control characters, also when the request contains them', async () => {
    await using leader = await startLeader();
    const { err } = await lcs('experiments', 'show', 'red \u001b[31m', '--url', leader.url);
    expect(err).toContain('Experiment red');
    expect(err).not.toContain('\u001b');
  });
});

describe('starting a leader', () => {
  /** What a start that fails prints; in this process. */
  const failing = async (...args: string[]) => {
    const { code, out, err } = await lcs('leader', '--mqtt-port', '0', ...args);
    expect(out).toBe('');
    expect(err).not.toContain('    at ');
    return { status: code, sentence: err.split('\n').findLast((line) => line.startsWith('lcs: ')) ?? '' };
  };
  /** The same of a process. */
  const failingProcess = (...args: string[]) => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [program, 'leader', '--mqtt-port', '0', ...args], {
      encoding: 'utf8',
      timeout: 15_000,
    });
    expect(stdout).toBe('');
    expect(stderr).not.toContain('    at ');
    return { status, sentence: stderr.split('\n').findLast((line) => line.startsWith('lcs: ')) ?? '' };
  };

  it('prints one line when it is ready, and ends cleanly within 5 s when asked, also with readers of the live stream', async () => {
    await using folder = await temporaryFolder('cli');
    const leader = await startLeaderProcess({ dataFolder: folder.path });
    const live = await fetch(`${leader.url}/api/live`);
    expect(live.status).toBe(200);
    const asked = performance.now();
    leader.child.kill('SIGTERM');
    expect(await leader.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - asked).toBeLessThan(5000);
    await live.body?.cancel();
  });

  it('stops by itself, with exit code 1, when the thread that writes its database has ended', async () => {
    await using folder = await temporaryFolder('cli');
    // More writes than a start has.
    const leader = await startLeaderProcess({ dataFolder: folder.path, crashAt: 'write.begun:40:exit' });
    let hasEnded = false;
    void leader.ended.then(() => {
      hasEnded = true;
    });
    for (let i = 0; i < 40 && !hasEnded; i += 1) await lcs('experiments', 'create', `e${i}`, '--url', leader.url);
    expect(await leader.ended).toEqual({ code: 1, signal: null });
  });

  it('sends a snapshot to pages that followed another leader at this address', async () => {
    const firstEvent = async () => {
      await using leader = await startLeader();
      const { body } = await fetch(`${leader.url}/api/live`);
      let text = '';
      for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        if (text.includes('\nevent:')) break;
      }
      return /^id: (.+)-\d+$/m.exec(text)?.[1];
    };
    const [one, other] = [await firstEvent(), await firstEvent()];
    expect(one).toBeDefined();
    expect(one).not.toBe(other);
  });

  it('keeps its data between starts', async () => {
    await using folder = await temporaryFolder('cli');
    const first = await startLeaderProcess({ dataFolder: folder.path });
    expect((await lcs('experiments', 'create', 'a', '--url', first.url)).code).toBe(0);
    await first.kill('SIGTERM');
    const second = await startLeaderProcess({ dataFolder: folder.path });
    expect((await lcs('experiments', 'list', '--json', '--url', second.url)).out).toContain('"experiment":"a"');
    await second.kill('SIGTERM');
  });

  it('prints in one sentence why it cannot start, and exits with 1', async () => {
    await using folder = await temporaryFolder('cli');
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const address = blocker.address();
    const port = typeof address === 'object' && address ? String(address.port) : '';
    expect(await failing('--data-dir', join(folder.path, 'a'), '--port', port)).toEqual({
      status: 1,
      sentence: expect.stringContaining(port),
    });
    expect(await failing('--data-dir', join(folder.path, 'a'), '--port', '0', '--mqtt-port', port)).toEqual({
      status: 1,
      sentence: expect.stringContaining(port),
    });
    blocker.close();
    expect(await failing('--data-dir', '/sys/nowhere', '--port', '0')).toEqual({
      status: 1,
      sentence: expect.stringContaining('/sys/nowhere'),
    });
    expect(await failing('--data-dir', join(folder.path, 'a'), '--port', '0', '--host', '192.0.2.99')).toEqual({
      status: 1,
      sentence: expect.stringContaining('192.0.2.99'),
    });
    expect(await failing('--data-dir', join(folder.path, 'a'), '--port', '0', '--tls-key', 'x')).toEqual({
      status: 1,
      sentence: expect.stringContaining('--tls-certificate'),
    });
    await mkdir(join(folder.path, 'd'));
    await writeFile(join(folder.path, 'd/storage'), '');
    expect(await failing('--data-dir', join(folder.path, 'd'), '--port', '0')).toEqual({
      status: 1,
      sentence: expect.stringContaining('storage'),
    });
    await mkdir(join(folder.path, 'b'));
    await writeFile(join(folder.path, 'b/config.ini'), '[mqtt\n');
    expect(await failing('--data-dir', join(folder.path, 'b'), '--port', '0')).toEqual({
      status: 1,
      sentence: expect.stringContaining('config.ini'),
    });
    await mkdir(join(folder.path, 'c/storage'), { recursive: true });
    await writeFile(
      join(folder.path, 'c/storage/leader.sqlite'),
      'this is no database at all, but long enough to have a header of some kind'.repeat(20),
    );
    expect(await failing('--data-dir', join(folder.path, 'c'), '--port', '0')).toEqual({
      status: 1,
      sentence: expect.stringContaining('leader.sqlite'),
    });
  });

  it.each(['', 'all', 'a b'])('refuses the name %j, and leaves the data folder as it was', async (name) => {
    await using folder = await temporaryFolder('cli');
    const dataFolder = join(folder.path, 'a');
    expect(await failing('--data-dir', dataFolder, '--port', '0', '--name', name)).toEqual({
      status: 1,
      sentence: expect.stringContaining(JSON.stringify(name)),
    });
    expect(existsSync(dataFolder)).toBe(false);
  });

  it('refuses a data folder that another leader uses, without an effect on that leader', async () => {
    await using folder = await temporaryFolder('cli');
    const first = await startLeaderProcess({ dataFolder: folder.path });
    expect(failingProcess('--data-dir', folder.path, '--port', '0')).toEqual({
      status: 1,
      sentence: expect.stringContaining(String(first.pid)),
    });
    expect((await lcs('status', '--url', first.url)).code).toBe(0);
    await first.kill('SIGTERM');
  });

  it('asks no other leader when a data folder is named and none runs with it', async () => {
    await using folder = await temporaryFolder('cli');
    await using other = await temporaryFolder('cli');
    const running = await startLeaderProcess({ dataFolder: other.path });
    const nowhere = await lcs('status', '--json', '--data-dir', folder.path);
    expect(nowhere.code).toBe(1);
    expect(JSON.parse(nowhere.err)).toMatchObject({ error: expect.stringContaining(folder.path) });
    expect((await lcs('status', '--data-dir', other.path)).code).toBe(0);
    await running.kill('SIGTERM');
  });

  it('does not use the current folder when the name of the data folder is empty', async () => {
    const { code, err } = await lcs('leader', '--port', '0', '--data-dir', '');
    expect(code).toBe(2);
    expect(err).toContain('--data-dir');
  });

  it('explains invalid options', () => {
    const { status, stderr } = spawnSync(process.execPath, [program, 'leader', '--port', '70000'], {
      encoding: 'utf8',
    });
    expect(status).toBe(2);
    expect(stderr).toContain('0 to 65535');
  });
});

/** A Node on this machine that is older than the program needs, if there is one. */
const olderNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .filter((path) => !path.includes('node_modules') && existsSync(path))
  .find((path) => Number(execFileSync(path, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' })) < 24);

describe('on an older Node', () => {
  it.skipIf(!olderNode)('starts itself on the pinned version, and forwards signals and the exit code', async () => {
    await using folder = await temporaryFolder('cli');
    const args = [program, 'leader', '--json', '--port', '0', '--mqtt-port', '0', '--data-dir', folder.path];
    const child = spawn(olderNode ?? '', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const [line]: Buffer[] = await once(child.stdout, 'data');
    expect(JSON.parse(String(line))).toMatchObject({ ready: true, units: [] });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(spawnSync(olderNode ?? '', [program, 'nonsense']).status).toBe(2);
  });

  it.skipIf(!olderNode)('prints what to do when the pinned Node is not installed', async () => {
    await using folder = await temporaryFolder('cli');
    const lonely = join(folder.path, 'lcs.js');
    await cp(dirname(program), folder.path, { recursive: true });
    await chmod(lonely, 0o755);
    await writeFile(join(folder.path, 'package.json'), '{"type":"module"}');
    const { status, stderr } = spawnSync(olderNode ?? '', [lonely, 'status'], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain('npm ci');
  });
});
