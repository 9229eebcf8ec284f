import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackCapsule } from '@lcs/leader';
import { type Log, realClock, type Service } from '@lcs/platform';
import { createLeaderNode } from '../leader-node.ts';

export interface OpenCapsuleOptions {
  /** The file. */
  readonly path: string;
  /** 0: any free port. */
  readonly port: number;
  readonly log: Log;
}

/** A leader that shows a capsule. */
export interface OpenedCapsule extends Service {
  readonly experiment: string;
  /** Of the experiment's page. Known once started. */
  readonly url: string;
  readonly failed: Promise<void>;
}

/**
 * Unpacks a capsule into a new folder below the temporary folder, and makes a leader that shows it to this machine only. Nobody may
 * change anything; its stop removes the folder.
 * @throws ZipFault
 */
export async function openCapsule({ path, port, log }: OpenCapsuleOptions): Promise<OpenedCapsule> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'lcs-capsule-'));
  const remove = () => rm(dataFolder, { recursive: true, force: true });
  try {
    await mkdir(join(dataFolder, 'storage'), { mode: 0o700 });
    const databasePath = join(dataFolder, 'storage', 'leader.sqlite');
    const experiment = await unpackCapsule(path, databasePath, { wire: realClock(), log });
    const leader = createLeaderNode({
      name: 'capsule',
      dataFolder,
      host: '127.0.0.1',
      port,
      mqttPort: 0,
      log,
      readOnly: true,
    });
    return {
      name: 'capsule',
      experiment,
      get url() {
        return `${leader.url}/experiments/${encodeURIComponent(experiment)}`;
      },
      failed: leader.failed,
      start: (signal) => leader.start(signal),
      stop: async () => {
        await leader.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
