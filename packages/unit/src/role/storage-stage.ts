import { statfs } from 'node:fs/promises';
import type { Stage } from '@lcs/platform';
import { UnitConfig } from '../config/unit-config.ts';
import { UnitAssignment } from '../desired/unit-assignment.ts';
import { LeaderLink } from '../enrolment/leader-link.ts';
import { configuredLimits } from '../outbox/configured-limits.ts';
import type { NewNote } from '../outbox/new-record.ts';
import { Outbox } from '../outbox/outbox.ts';
import { NodeRun } from './node-run.ts';
import type { TimeOutputs } from './time-stage.ts';
import type { UnitRoleInputs } from './unit-role-options.ts';

export interface StorageOutputs {
  readonly config: UnitConfig;
  readonly link: LeaderLink;
  /** Which leader, experiment and model the unit has; `DesiredStateManager` fills it when the unit starts. */
  readonly assignment: UnitAssignment;
  readonly outbox: Outbox;
  /** Records an event or a log line of the unit itself. */
  readonly note: (record: NewNote) => void;
}

/** The files of a unit and its records. */
export function storageStage({ options, time, clock }: UnitRoleInputs & TimeOutputs): Stage<StorageOutputs> {
  const { dataFolder, board, wire, log, newId, version, leading } = options;
  const probe = options.probe === undefined ? {} : { probe: options.probe };
  const config = new UnitConfig({ folder: leading?.configFolder ?? dataFolder, log, ...probe });
  const link = new LeaderLink({ folder: dataFolder, log, ...(options.release && { release: true }), ...probe });
  const outbox = new Outbox({
    database: options.outboxDatabase,
    time,
    clock,
    wire,
    log,
    newId,
    ...probe,
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(dataFolder);
      return bavail * bsize;
    },
    configured: () => configuredLimits(config.view()),
    ...(board.isSimulated && { flags: ['simulated'] }),
  });
  const note = (record: NewNote): void => {
    outbox.append(record);
  };
  // It starts before everything that records, so that its last record is the last.
  const run = new NodeRun({ outbox, time, version, log });
  return {
    outputs: { config, link, assignment: new UnitAssignment(link), outbox, note },
    services: [config, link, outbox, run],
  };
}
