import { randomUUID } from 'node:crypto';
import { type ActiveLock, ActiveLockKeeper, type ActiveState, programVersion, type Service } from '@lcs/platform';
import type { NodeInputs } from '../node-inputs.ts';
import { answerFolderQuestions } from './shared-folder.ts';

interface Inputs extends Pick<NodeInputs, 'folder' | 'identity' | 'identityKey' | 'wire' | 'log' | 'onFatal'> {
  readonly url: string;
  /** Of a control process, held. */
  readonly givenLock: ActiveLock | undefined;
}

interface ActiveProcessParts {
  readonly lock: ActiveState;
  /** Starts before the stores. */
  readonly service: Service;
  /** Writes where the node is reached. */
  readonly announce: (url: string) => Promise<void>;
}

/** The node as the active process of its database. */
export function activeProcess({
  folder,
  identity,
  identityKey,
  wire,
  log,
  onFatal,
  url,
  givenLock,
}: Inputs): ActiveProcessParts {
  const self = {
    process: randomUUID(),
    nodeId: identity.id,
    boot: identity.boot,
    publicKey: identityKey.publicKey,
    version: programVersion,
  };
  const lock = givenLock ?? new ActiveLockKeeper({ url, self, clock: wire, log, onTaken: onFatal });
  return {
    lock,
    service: {
      name: 'active process',
      start: async (signal) => {
        if (lock instanceof ActiveLockKeeper) await lock.start(signal);
        else await lock.announce({ ...self, url: null });
        await answerFolderQuestions(lock, folder.path, log);
      },
      // A control process still needs its lock.
      stop: async () => {
        if (lock instanceof ActiveLockKeeper) await lock.stop();
      },
    },
    announce: (address) => lock.announce({ ...self, url: address }),
  };
}
