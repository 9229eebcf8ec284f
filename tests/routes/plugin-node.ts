import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Json } from '@lcs/contract';
import type { PackageTool, PluginLimits, PluginSources } from '@lcs/node';
import {
  advanceableClock,
  type StandInLeader,
  startStandInLeader,
  startUnit,
  temporaryFolder,
  testExperiment,
  type UnitUnderTest,
} from '@lcs/testkit';
import { observe } from '../observe.ts';

export interface PluginNode extends AsyncDisposable {
  readonly unit: UnitUnderTest;
  readonly leader: StandInLeader;
  /** A folder that counts as a mounted drive. */
  readonly drive: string;
  /** Files by the id of their upload. */
  readonly uploads: Map<string, string>;
  /** Duty of the PWM channel that the example uses, in percent, as the board has it. */
  readonly duties: readonly number[];
  /** Starts a job and waits for the end of the task. */
  start(job: string, options?: Record<string, Json>): Promise<object>;
  /** Waits for the task that a call has been answered with. */
  ended(accepted: Promise<{ expect(status: 202): unknown }>): Promise<object>;
}

interface PluginNodeOptions {
  /** Text of files in the folder of plugins, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Text of the shared configuration. */
  readonly config?: string;
  readonly tool?: PackageTool;
  readonly limits?: Partial<PluginLimits>;
  /** Those of an earlier world, for a restart; they outlive this one. */
  readonly dataFolder?: string;
  readonly leader?: StandInLeader;
}

/** Writes files below a folder, which is made. */
export async function placeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** Uploads by id, and one folder as a drive. */
export const sourcesOf = (uploads: ReadonlyMap<string, string>, drive: string): PluginSources => ({
  uploads: {
    find: async (id) => {
      const path = uploads.get(id);
      return path === undefined ? undefined : { path, fileName: basename(path) };
    },
  },
  drives: { holds: async (path) => path.startsWith(`${drive}/`) },
});

/** A unit with plugins, in an experiment, on virtual time. */
export async function startPluginNode(options: PluginNodeOptions = {}): Promise<PluginNode> {
  const { files = {}, config = '[plugins]\nallow_install=1\n', tool, limits } = options;
  const drive = await temporaryFolder('drive');
  const folder = await temporaryFolder('unit');
  const dataFolder = options.dataFolder ?? folder.path;
  await placeFiles(join(dataFolder, 'plugins'), files);
  const uploads = new Map<string, string>();
  const duties: number[] = [];
  const leader = options.leader ?? (await startStandInLeader());
  const wire = advanceableClock();
  const unit = await startUnit({
    leaderUrl: leader.url,
    observe,
    dataFolder,
    configure: {
      wire: wire.clock,
      plugins: { sources: sourcesOf(uploads, drive.path), ...(tool && { tool }), ...(limits && { limits }) },
      board: {
        kind: 'here',
        seed: 1,
        between: (buses) => {
          let periodNs = 1;
          return {
            ...buses,
            pwm: {
              exportChannel: (channel) => buses.pwm.exportChannel(channel),
              setPeriod: (channel, ns) => {
                if (channel === 1) periodNs = ns;
                return buses.pwm.setPeriod(channel, ns);
              },
              setDuty: (channel, ns) => {
                if (channel === 1) duties.push(Math.round((100 * ns) / periodNs));
                return buses.pwm.setDuty(channel, ns);
              },
              setEnabled: (channel, isOn) => buses.pwm.setEnabled(channel, isOn),
            },
          };
        },
      },
    },
  });
  const sha256 = createHash('sha256').update(config).digest('hex');
  const empty = { version: 1, sha256: createHash('sha256').update('').digest('hex'), text: '' };
  await leader.put(unit.url, {
    experiment: testExperiment,
    config: { shared: { version: 1, sha256, text: config }, own: empty },
  });
  const ended: PluginNode['ended'] = async (accepted) => unit.finished((await accepted).expect(202));
  return {
    unit,
    leader,
    drive: drive.path,
    uploads,
    duties,
    ended,
    start: async (job, given = {}) => {
      for (;;) {
        const answer = await unit.api.call('runJob', { params: { job }, body: { options: given } });
        if (answer.status !== 429) return unit.finished(answer.expect(202));
        // A job of one name may be started once a second.
        wire.pass(1_000);
      }
    },
    [Symbol.asyncDispose]: async () => {
      await unit[Symbol.asyncDispose]();
      if (options.leader === undefined) await leader[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
      await drive[Symbol.asyncDispose]();
    },
  };
}
