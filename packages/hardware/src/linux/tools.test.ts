import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemTools } from './tools.ts';

const systemPath = '/usr/bin:/bin';

async function folderWith(name: string, script: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-tools-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, name), 0o755);
  return folder;
}

it('runs a tool to its end', async () => {
  const folder = await folderWith('gpiodetect', 'echo "$1 $LC_ALL"; echo oh >&2; exit 3');
  const output = await systemTools(`${folder}:${systemPath}`).run('gpiodetect', ['--version']);
  expect(output).toEqual({ code: 3, stdout: '--version C\n', stderr: 'oh' });
});

it('reports that a tool is not installed', async () => {
  const tools = systemTools(systemPath);
  await expect(tools.run('no-such-tool', [])).rejects.toThrow('no-such-tool is not installed');
  const { code, stderr } = await tools.start('no-such-tool', [], () => {}).ended;
  expect(code).not.toBe(0);
  expect(stderr).toContain('no-such-tool');
});

it('delivers the output of a tool line by line while it runs, and ends it', async () => {
  const folder = await folderWith('gpiomon', 'echo first; echo second; exec sleep 60');
  const lines: string[] = [];
  const tool = systemTools(`${folder}:${systemPath}`).start('gpiomon', ['21'], (line) => lines.push(line));
  await vi.waitFor(() => expect(lines).toEqual(['first', 'second']), { timeout: 5000 });
  tool.stop();
  expect((await tool.ended).code).toBeNull();
});
