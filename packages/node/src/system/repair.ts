import { chmod, lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Handlers, nodeSystemRoutes, Repaired } from '@lcs/contract';
import { reasonOf } from '@lcs/platform';
import { acceptOrLocked } from './accept.ts';
import { locks, type NodeSystemOptions } from './node-system.ts';

type RepairRoutes = Pick<typeof nodeSystemRoutes, 'repairNode' | 'repairNodeByPatch'>;
type Check = Repaired['status']['payload']['checks'][number];

const folderMode = 0o700;
const fileMode = 0o600;
/** The owner's permissions are kept, because plugins may have executables. */
const ownerMask = 0o700;
const lowBytes = 3e9;

/** Excluded: other versions of the program, and mounted drives. */
const leftAlone = ['versions', 'run/usb'];

interface Report {
  readonly changed: string[];
  readonly failed: string[];
}

/** Only the owner may read the data folder; links are not followed. `name` is relative to that folder. */
async function repairPermissions(dataFolder: string, name: string, report: Report): Promise<void> {
  if (leftAlone.includes(name)) return;
  const path = join(dataFolder, name);
  try {
    const facts = await lstat(path);
    const mode = facts.isDirectory() ? folderMode : (facts.mode & ownerMask) | fileMode;
    if (!facts.isDirectory() && !facts.isFile()) return;
    if ((facts.mode & 0o777) !== mode) {
      await chmod(path, mode);
      report.changed.push(path);
    }
    if (!facts.isDirectory()) return;
    for (const entry of await readdir(path)) await repairPermissions(dataFolder, join(name, entry), report);
  } catch (error) {
    report.failed.push(`${path}: ${reasonOf(error)}`);
  }
}

async function repairDataFolder(dataFolder: string): Promise<Report> {
  const report: Report = { changed: [], failed: [] };
  for (const name of await readdir(dataFolder)) await repairPermissions(dataFolder, name, report);
  return report;
}

const check = (name: string, status: 'OK' | 'WARN' | 'FAIL', details: string): Check => ({ name, status, details });

async function checkNode(options: NodeSystemOptions): Promise<readonly Check[]> {
  const { unit, isLeader, version, host, dataFolder, leader } = options;
  const addresses = host.ipv4Addresses();
  const { availableBytes } = await host.diskSpace(dataFolder);
  const { isActive, service, statusText } = await host.programStatus();
  const folder = await stat(dataFolder);
  return [
    check('identity', 'OK', `unit=${unit} role=${isLeader ? 'leader' : 'unit'}`),
    check('version', 'OK', version),
    check('connectivity:ipv4', addresses.length > 0 ? 'OK' : 'WARN', addresses.join(',') || 'no address but loopback'),
    check('connectivity:leader_api', leader() === '' ? 'WARN' : 'OK', leader() || 'this unit has no leader yet'),
    check('services:web', isActive ? 'OK' : 'FAIL', `${service}=${statusText}`),
    check('services:tasks', 'OK', 'this check runs as a task'),
    check('storage:disk', availableBytes < lowBytes ? 'WARN' : 'OK', `${availableBytes} bytes free`),
    check(
      'storage:dot_reactor',
      (folder.mode & 0o077) === 0 ? 'OK' : 'WARN',
      `mode ${(folder.mode & 0o777).toString(8)}`,
    ),
  ];
}

const worstOf = (checks: readonly Check[]): string =>
  ['FAIL', 'WARN'].find((status) => checks.some((one) => one.status === status)) ?? 'OK';

/** Corrects permissions and checks the requirements of this node. */
export function repairHandlers(options: NodeSystemOptions): Handlers<RepairRoutes> {
  const repair = {
    kind: 'system.repair',
    lock: locks.repair,
    whenBusy: 'refuse' as const,
    run: async (_: null): Promise<Repaired> => {
      const { changed, failed } = await repairDataFolder(options.dataFolder);
      const checks = await checkNode(options);
      const payload = { status: worstOf(checks), checks: [...checks] };
      const returncode = failed.length === 0 ? 0 : 1;
      const stdout = changed.map((path) => `permissions corrected: ${path.slice(options.dataFolder.length + 1)}\n`);
      return {
        success: returncode === 0,
        repair: { returncode, stdout: stdout.join(''), stderr: failed.join('\n') },
        status: { returncode: 0, stdout: JSON.stringify(payload), stderr: '', payload },
      };
    },
  };
  options.tasks.register(repair);
  const handle = () => acceptOrLocked(options, repair, null);
  return { repairNode: handle, repairNodeByPatch: handle };
}
