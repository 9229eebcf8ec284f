import { chmod, readFile, writeFile } from 'node:fs/promises';
import { temporaryFolder } from '@lcs/platform/testing';
import { expect, it } from 'vitest';
import { ServiceManager } from './service-manager.ts';

it('passes messages to the program that reaches the service manager, and starts it again when it has ended', async () => {
  await using folder = await temporaryFolder();
  const [program, received] = [`${folder.path}/notify`, `${folder.path}/received`];
  // Takes one line, then it ends.
  await writeFile(program, `#!/bin/sh\nread -r line && echo "$line" >> ${received}\n`);
  await chmod(program, 0o755);
  const manager = ServiceManager.of({ NOTIFY_SOCKET: '/run/notify', LCS_NOTIFY: program, WATCHDOG_USEC: '30000000' });
  expect(manager?.watchdogMs).toBe(30_000);
  const lines = async (): Promise<string> => readFile(received, 'utf8').catch(() => '');
  manager?.send('READY=1');
  await expect.poll(lines).toBe('READY=1\n');
  await expect
    .poll(async () => {
      manager?.send('READY=1\nWATCHDOG=1');
      return (await lines()).startsWith('READY=1\nREADY=1\n');
    })
    .toBe(true);
});

it('does not end the node when the program cannot be started', async () => {
  await using folder = await temporaryFolder();
  const environment = { NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '30000000' };
  const missing = ServiceManager.of({ ...environment, LCS_NOTIFY: `${folder.path}/missing` });
  // A program that is no program: the attempt itself fails.
  await writeFile(`${folder.path}/text`, 'text');
  const forbidden = ServiceManager.of({ ...environment, LCS_NOTIFY: `${folder.path}/text` });
  for (const manager of [missing, forbidden]) {
    manager?.send('READY=1');
    manager?.send('STOPPING=1');
  }
  await new Promise((resolve) => setImmediate(resolve));
});

it.each([
  ['at a terminal', {}],
  ['in a service without the program', { NOTIFY_SOCKET: '/run/notify' }],
])('is absent %s', (_, environment) => {
  expect(ServiceManager.of(environment)).toBeUndefined();
});

it('does not watch a service without a limit', () => {
  expect(ServiceManager.of({ NOTIFY_SOCKET: '/run/notify', LCS_NOTIFY: '/bin/cat' })?.watchdogMs).toBeUndefined();
});
