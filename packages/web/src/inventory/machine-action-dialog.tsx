import { type FinishedTask, hasShape, LockedAnswer, leaderApi, type TaskRecord } from '@lcs/contract';
import { Button, Progress, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { useTask } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useUnitNames } from '../services/use-unit-names.ts';
import { followTask } from '../tasks/follow-task.ts';
import { type CommandOutcome, commandOutcomes } from '../tasks/unit-answers.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { commonWords } from '../words/common.ts';
import { inventoryWords } from '../words/inventory.ts';
import styles from './inventory.module.css';

/** What is done to the machines of units. */
export type MachineActionKind = 'reboot' | 'shutdown' | 'update';

const words = {
  reboot: {
    title: inventoryWords.reboot,
    effect: inventoryWords.rebootConsequence,
    doing: inventoryWords.rebooting,
    done: inventoryWords.reboots,
    route: leaderApi.rebootUnits,
  },
  shutdown: {
    title: inventoryWords.shutDown,
    effect: inventoryWords.shutDownConsequence,
    doing: inventoryWords.shuttingDown,
    done: inventoryWords.shutsDown,
    route: leaderApi.shutDownUnits,
  },
  update: {
    title: commonWords.update,
    effect: inventoryWords.updateConsequence,
    doing: inventoryWords.updating,
    done: inventoryWords.isUpdated,
    route: leaderApi.updateToNextVersion,
  },
} as const;

/** The title of an action for menus. */
export const machineActionTitle = (kind: MachineActionKind): string => words[kind].title;

/** More than the leader gives a unit to answer. */
const powerTimeoutMs = 120_000;

type Outcomes = ReadonlyMap<string, CommandOutcome>;

const refused = (error: unknown): CommandOutcome => ({ ok: false, refusal: problemText(error) });

const isEnded = (task: TaskRecord | undefined): task is FinishedTask =>
  task?.status === 'succeeded' || task?.status === 'failed';

/** Sends the action, and how it ended at each unit; `taskId`: the update that runs. */
function useMachineAction(kind: MachineActionKind, units: readonly string[]) {
  const { leader, clock } = useServices();
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const [taskId, setTaskId] = useState<string | null>(null);
  const [isSent, setSent] = useState(false);
  const settle = (unit: string, outcome: CommandOutcome): void =>
    setOutcomes((known) => new Map(known).set(unit, outcome));
  const power = async (unit: string): Promise<void> => {
    try {
      const request = kind === 'reboot' ? leader.rebootUnits : leader.shutDownUnits;
      const task = await followTask(clock, await request({ params: { reactor_unit: unit } }), powerTimeoutMs);
      const outcome = commandOutcomes(task, [unit]).get(unit);
      if (outcome) settle(unit, outcome);
    } catch (error) {
      settle(unit, refused(error));
    }
  };
  const update = async (): Promise<void> => {
    try {
      const answer = await leader.updateToNextVersion({ body: { units: [...units] } });
      if (hasShape(LockedAnswer, answer)) throw new Error('Another update is in progress. Wait for its end.');
      if ('task_id' in answer) setTaskId(answer.task_id);
    } catch (error) {
      for (const unit of units) settle(unit, refused(error));
    }
  };
  return {
    outcomes,
    taskId,
    isSent,
    start: (): void => {
      setSent(true);
      if (kind === 'update') void update();
      else for (const unit of units) void power(unit);
    },
  };
}

const changeOf = (value: unknown): string => {
  const { from, to }: { readonly from?: unknown; readonly to?: unknown } =
    typeof value === 'object' && value !== null ? value : {};
  return typeof from === 'string' && typeof to === 'string' ? `: ${from} → ${to}` : '';
};

function OutcomeLine({ unit, outcome, kind }: OutcomeLineProps) {
  const name = useUnitNames()(unit);
  if (outcome === undefined) return <li>{inventoryWords.unitWaits(name)}</li>;
  if (outcome.ok)
    return (
      <li>
        <CheckIcon size={14} /> {name} {words[kind].done}
        {changeOf(outcome.value)}
      </li>
    );
  const { error, cause, remediation } = outcome.refusal;
  return (
    <li className="danger">
      <WarningIcon size={14} /> {name}: {[...new Set([error, cause, remediation])].join(' ')}
    </li>
  );
}

interface OutcomeLineProps {
  readonly unit: string;
  readonly outcome: CommandOutcome | undefined;
  readonly kind: MachineActionKind;
}

/** The progress of an update, and what became of each unit. */
function UpdateProgress({ taskId, units }: { readonly taskId: string; readonly units: readonly string[] }) {
  const { data: task } = useTask(taskId);
  const progress = task && 'progress' in task && task.progress !== null ? 100 * task.progress : null;
  const outcomes: Outcomes = isEnded(task) ? commandOutcomes(task, units) : new Map();
  return (
    <>
      {!isEnded(task) && (
        <>
          <Progress
            value={progress ?? 100}
            striped={progress === null}
            animated={progress === null}
            aria-label={inventoryWords.updating}
          />
          <Text size="sm" c="dimmed">
            {task?.message ?? inventoryWords.leaderPreparesRelease}
          </Text>
        </>
      )}
      <ul className={styles.outcomes}>
        {units.map((unit) => (
          <OutcomeLine key={unit} unit={unit} outcome={outcomes.get(unit)} kind="update" />
        ))}
      </ul>
    </>
  );
}

interface MachineActionDialogProps {
  readonly kind: MachineActionKind;
  readonly units: readonly string[];
  readonly onClose: () => void;
}

/** Asks before machines are rebooted, shut down or updated; then shows the progress and the result of each unit. */
export function MachineActionDialog({ kind, units, onClose }: MachineActionDialogProps) {
  const { title, effect, doing, route } = words[kind];
  const { outcomes, taskId, isSent, start } = useMachineAction(kind, units);
  const may = useMay();
  const nameOf = useUnitNames();
  const where = units.length === 1 ? nameOf(units[0] ?? '') : inventoryWords.units(units.length);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    start();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={isSent ? `${doing} ${where}` : `${title} ${where}?`}
      closesOutside={!isSent}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          {!isSent && <Text size="sm">{effect}</Text>}
          {!isSent && units.length > 1 && (
            <Text size="sm" c="dimmed">
              {units.map(nameOf).join(', ')}
            </Text>
          )}
          <div role="status">
            {taskId !== null && <UpdateProgress taskId={taskId} units={units} />}
            {isSent && taskId === null && (
              <ul className={styles.outcomes}>
                {units.map((unit) => (
                  <OutcomeLine key={unit} unit={unit} outcome={outcomes.get(unit)} kind={kind} />
                ))}
              </ul>
            )}
          </div>
          <DialogActions>
            <Button variant="default" onClick={onClose} data-autofocus>
              {isSent ? commonWords.close : commonWords.cancel}
            </Button>
            {!isSent && (
              <Button type="submit" {...(kind !== 'update' && { color: 'red.9' })} {...may(route)}>
                {title}
              </Button>
            )}
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
