import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { linuxMachine } from './linux-machine.ts';
import { readFacts } from './read-facts.ts';

it('distinguishes a program that was ended from one that is not installed', async () => {
  const toolPath = await mkdtemp(join(tmpdir(), 'lcs-tools-'));
  onTestFinished(() => rm(toolPath, { recursive: true }));
  for (const [name, body] of Object.entries({ hangs: 'exec /bin/sleep 60', dies: 'kill -KILL $$', fails: 'exit 3' })) {
    await writeFile(join(toolPath, name), `#!/bin/sh\n${body}\n`);
    await chmod(join(toolPath, name), 0o755);
  }
  const { run } = linuxMachine({ toolPath, isRoot: false });
  expect(await run('absent', [])).toMatchObject({ exitCode: 127 });
  expect(await run('fails', [])).toMatchObject({ exitCode: 3, stderr: '' });
  expect(await run('hangs', [], 50)).toMatchObject({ exitCode: 124, stderr: expect.stringContaining('0.05 s') });
  expect(await run('dies', [])).toMatchObject({ exitCode: 124, stderr: expect.stringContaining('SIGKILL') });
});

it('notes a program that hangs, once, and a file of a faulty disk, and reads on', async () => {
  const toolPath = await mkdtemp(join(tmpdir(), 'lcs-tools-'));
  onTestFinished(() => rm(toolPath, { recursive: true }));
  await writeFile(join(toolPath, 'systemctl'), '#!/bin/sh\nexec /bin/sleep 60\n');
  await chmod(join(toolPath, 'systemctl'), 0o755);
  const machine = linuxMachine({ toolPath, isRoot: false });
  const { files } = machine;
  const facts = await readFacts(
    {
      ...machine,
      run: (program, args) => machine.run(program, args, 50),
      files: {
        ...files,
        read: (path, encoding) => files.read(path === '/etc/group' ? '/proc/self/mem' : path, encoding),
      },
    },
    { isSimulated: true },
  );
  expect(facts.unread).toEqual([
    { kind: 'file', name: '/etc/group', reason: expect.any(String) },
    { kind: 'program', name: 'systemctl', reason: expect.stringContaining('0.05 s') },
  ]);
  expect(facts.services['lcs-unit'].state).toBe('unknown');
});

it('distinguishes a file that cannot be read from one that is absent', async () => {
  const { files } = linuxMachine({ isRoot: false });
  expect(await files.read('/proc/self/absent')).toBeUndefined();
  // The memory at address 0 is not mapped: the kernel returns EIO, as for a faulty block of a card.
  await expect(files.read('/proc/self/mem')).rejects.toMatchObject({ code: 'EIO' });
});
