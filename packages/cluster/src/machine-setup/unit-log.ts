import type { RunTool } from './machine-ports.ts';

/** What the current run of the unit has logged, by its ID of the service manager (systemd.exec(5)): a former run does not count. */
export async function unitLog(run: RunTool, ...more: readonly string[]): Promise<string> {
  const shown = await run('systemctl', ['show', '-p', 'InvocationID', '--value', 'lcs-unit.service']);
  const id = shown.stdout.trim();
  if (!/^[0-9a-f]{32}$/.test(id)) return '';
  const args = [`_SYSTEMD_INVOCATION_ID=${id}`, '-o', 'cat', '--no-pager', ...more];
  return (await run('journalctl', args)).stdout;
}
