import type { AcceptedTask } from '@lcs/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { followTask } from './follow-task.ts';
import {
  type CommandGoal,
  isMadeUp,
  joinedCommands,
  missedGoals,
  type UnitCommand,
  unacceptedCommand,
} from './unit-command.ts';

/** What reads the answers of units checks their shapes: it is loaded with the first command, while the units work. */
const commandEnd = () => import('./command-end.ts');

const successShownMs = 6000;
const taskTimeoutMs = 60_000;

/** A request to one unit. */
interface UnitRequest {
  readonly unit: string;
  readonly request: () => Promise<AcceptedTask>;
  readonly goal?: StepGoal;
}

/** What a request is for, on each of its units. */
type StepGoal = Omit<CommandGoal, 'unit'>;

const goalsOn = (units: readonly string[], goal: StepGoal | undefined): readonly CommandGoal[] =>
  goal === undefined ? [] : units.map((unit) => ({ unit, ...goal }));

/** One request that addresses several units. */
export interface CommandStep {
  readonly units: readonly string[];
  readonly request: () => Promise<AcceptedTask>;
  readonly goal?: StepGoal;
}

/**
 * Commands to all of `units` (null: to every unit that the leader asks), with the state of the newest one. A failure disappears when what
 * it has missed was reached in another way.
 * @param longestMs how long to wait for the end of a command
 */
export function useUnitCommand(
  units: readonly string[] | null,
  nameOf: (unit: string) => string,
  longestMs: number = taskTimeoutMs,
) {
  const { clock } = useServices();
  const cache = useQueryClient();
  const newest = useRef<symbol>(undefined);
  const [command, setCommand] = useState<UnitCommand>({ phase: 'idle' });
  useEffect(
    () => (command.phase === 'done' ? clock.after(successShownMs, () => setCommand({ phase: 'idle' })) : undefined),
    [command, clock],
  );
  const follow = useCallback(
    async (
      what: string,
      work: () => Promise<UnitCommand>,
      onDone: () => void = () => {},
      goals: readonly CommandGoal[] = [],
    ): Promise<void> => {
      const own = Symbol(what);
      newest.current = own;
      // The end of an earlier command says nothing about the newest one.
      const show = (next: UnitCommand): void => {
        if (newest.current !== own) return;
        const jobs = cache.getQueryData(queryKeys.jobs) ?? [];
        const missed = next.phase === 'failed' ? missedGoals(next.refusals, goals, jobs) : undefined;
        setCommand(next.phase === 'failed' && missed !== undefined ? { ...next, missed } : next);
      };
      setCommand({ phase: 'pending', what });
      try {
        const ended = await work();
        show(ended);
        if (ended.phase === 'done') onDone();
      } catch (error) {
        show({ phase: 'failed', what, refusals: [{ unit: null, ...problemText(error) }] });
      }
    },
    [cache],
  );
  useEffect(() => {
    if (command.phase !== 'failed' || command.missed === undefined) return undefined;
    return cache.getQueryCache().subscribe(() => {
      if (isMadeUp(command, cache.getQueryData(queryKeys.jobs) ?? [])) setCommand({ phase: 'idle' });
    });
  }, [command, cache]);
  const commandAfter = useCallback(
    async (what: string, accepted: Promise<AcceptedTask>, addressed: readonly string[] | null) => {
      const following = accepted.then((task) => followTask(clock, task, longestMs));
      const [{ endedCommand }, ended] = await Promise.all([commandEnd(), following]);
      return endedCommand(what, ended, addressed, nameOf);
    },
    [clock, nameOf, longestMs],
  );
  const send = useCallback(
    (what: string, request: () => Promise<AcceptedTask>, onDone?: () => void): Promise<void> =>
      follow(
        what,
        async () => {
          const accepted = request();
          const [answer] = await Promise.allSettled([accepted]);
          return answer.status === 'rejected'
            ? unacceptedCommand(what, answer.reason)
            : commandAfter(what, accepted, units);
        },
        onDone,
      ),
    [units, follow, commandAfter],
  );
  /** Sends requests to some units: those to one unit one after the other, in this order. */
  const sendEach = useCallback(
    (what: string, requests: readonly UnitRequest[], onDone?: () => void) =>
      follow(
        what,
        async () => {
          const units = [...new Set(requests.map(({ unit }) => unit))];
          const ofUnit = async (unit: string) => {
            const ended: UnitCommand[] = [];
            for (const each of requests)
              if (each.unit === unit) ended.push(await commandAfter(what, each.request(), [unit]));
            return ended.map((each) => ({ units: [nameOf(unit)], ended: each }));
          };
          const joined = joinedCommands(what, (await Promise.all(units.map(ofUnit))).flat());
          return joined.phase === 'done' ? { ...joined, units: units.length } : joined;
        },
        onDone,
        requests.flatMap(({ unit, goal }) => goalsOn([unit], goal)),
      ),
    [follow, commandAfter, nameOf],
  );
  /** Sends requests that address several units each, one after the other. */
  const sendSteps = useCallback(
    (what: string, steps: readonly CommandStep[], onDone?: () => void) =>
      follow(
        what,
        async () => {
          const parts: { units: readonly string[]; ended: UnitCommand }[] = [];
          for (const { units, request } of steps)
            parts.push({ units: units.map(nameOf), ended: await commandAfter(what, request(), units) });
          const joined = joinedCommands(what, parts);
          const units = new Set(steps.flatMap((step) => step.units)).size;
          return joined.phase === 'done' || joined.phase === 'failed' ? { ...joined, units } : joined;
        },
        onDone,
        steps.flatMap((step) => goalsOn(step.units, step.goal)),
      ),
    [follow, commandAfter, nameOf],
  );
  const dismiss = useCallback(() => setCommand({ phase: 'idle' }), []);
  return { command, send, sendEach, sendSteps, dismiss };
}
