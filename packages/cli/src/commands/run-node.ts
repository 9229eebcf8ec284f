import {
  type Clock,
  type CrashAt,
  createLog,
  errnoOf,
  type Living,
  type Log,
  prettyDestination,
  realClock,
  reasonOf,
  StoppedUncleanly,
  standardError,
} from '@lcs/platform';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

export interface NodeOutput {
  readonly json?: true;
  readonly verbose?: true;
}

/** For people at a terminal the log is short and readable, for everything else it is JSON. */
export function nodeLog(io: ProgramIo, { json, verbose }: NodeOutput): Log {
  const forPeople = !json && io.stderr.isTTY === true;
  return createLog({
    level: verbose ? 'debug' : forPeople ? 'warn' : 'info',
    destination: forPeople ? prettyDestination(io.stderr, { colour: true }) : standardError(),
  });
}

/**
 * Crash tests name a point and how often it is passed before the process ends itself: `write.before_commit:12`; with `:exit`
 * behind it only the thread of the writer ends.
 */
export function readCrashPoint(io: ProgramIo): CrashAt | undefined {
  const [point, hits = '1', how] = (io.environment.LCS_CRASH_AT ?? '').split(':');
  return point ? { point, afterHits: Number(hits), how: how === 'exit' ? 'exit' : 'kill' } : undefined;
}

/** A node that says when it cannot go on. */
interface FailingNode extends Living {
  readonly failed: Promise<void>;
}

/** One Ctrl-C may arrive twice: from the terminal, and from a program in between that passes it on. */
const meantAgainMs = 1_000;
/** As shells have it for Ctrl-C. */
const interrupted = 130;

/**
 * Starts a node, announces it, and stops it when the process is asked to end. Asked again later, the process ends at once:
 * what was answered is on disk, and the guard switches the outputs off.
 */
export async function runNode(
  io: Pick<ProgramIo, 'onSignal' | 'exit'>,
  node: FailingNode,
  what: string,
  announce: () => void,
  wire: Pick<Clock, 'monotonic'> = realClock(),
): Promise<void> {
  const starting = new AbortController();
  const ended = new Promise<void>((end) => {
    let askedAtMs: number | undefined;
    const askedToEnd = () => {
      const nowMs = wire.monotonic();
      askedAtMs ??= nowMs;
      if (nowMs - askedAtMs >= meantAgainMs) io.exit(interrupted);
      starting.abort();
      end();
    };
    io.onSignal('SIGINT', askedToEnd);
    io.onSignal('SIGTERM', askedToEnd);
  });
  try {
    await node.start(starting.signal);
  } catch (error) {
    // Asked to end while starting: what was up has been stopped, and that is no failure.
    if (starting.signal.aborted && error === starting.signal.reason) return;
    if (starting.signal.aborted && error instanceof StoppedUncleanly) throw leftBehind(what);
    throw cannotUse(error, what) ?? error;
  }
  announce();
  const reason = await Promise.race([ended.then(() => 'asked' as const), node.failed.then(() => 'failed' as const)]);
  const isClean = await stopsCleanly(node);
  if (reason === 'failed') {
    throw new CommandFailure(
      {
        error: `The ${what} had to stop.`,
        cause: 'The thread that writes its database is gone; nothing that was answered is lost.',
        remediation: 'See the log above for the reason, then start it again.',
      },
      { endsProcess: !isClean },
    );
  }
  if (!isClean) throw leftBehind(what);
}

/** What the operating system says about a file or folder of the node is for its operator to put right, and no bug. */
function cannotUse(error: unknown, what: string): CommandFailure | undefined {
  if (errnoOf(error) === undefined || !(error instanceof Error && 'path' in error)) return undefined;
  return new CommandFailure({
    error: `The ${what} cannot start.`,
    cause: `${error.path} cannot be used: ${reasonOf(error)}.`,
    remediation: 'Put that right, then start it again.',
  });
}

/** Whether all of the node has stopped in time. What has not is in its log, one sentence each. */
async function stopsCleanly(node: Living): Promise<boolean> {
  try {
    await node.stop();
    return true;
  } catch (error) {
    if (error instanceof StoppedUncleanly) return false;
    throw error;
  }
}

const leftBehind = (what: string): CommandFailure =>
  new CommandFailure(
    {
      error: `The ${what} ended before all of it had stopped.`,
      cause: 'What was left behind is named in the log above.',
      remediation: 'What was answered is on disk, and outputs are switched off. It can be started again.',
    },
    { endsProcess: true },
  );
