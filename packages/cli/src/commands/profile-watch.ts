import type { ProfileRunDetails } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import type { Command } from 'commander';
import { type Connected, type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { type JobNameOf, jobNames } from '../job-names.ts';
import { printable, printJson } from '../output.ts';
import { ProfileWatcher, type RunEvent } from '../profile-watcher.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

/** The run with this ID, else the newest of the experiment. @throws CommandFailure */
export async function runIdOf(leader: Connected, experiment: string, id: string | undefined): Promise<string> {
  if (id !== undefined) return id;
  const [newest] = await leader.listRecentProfileRuns({ params: { experiment }, query: { limit: 1 } });
  if (newest !== undefined) return newest.run_id;
  throw new CommandFailure({
    error: `${experiment} has no runs of profiles.`,
    cause: 'No profile was run in this experiment.',
    remediation: 'Start one: lcs profiles run FILE --experiment NAME',
  });
}

const named = (
  { reactor_unit, job_name, action, iteration }: ProfileRunDetails['waiting'][number],
  nameOf: JobNameOf,
): string => `${reactor_unit} ${nameOf(job_name)} ${action}${iteration > 0 ? ` #${iteration + 1}` : ''}`;

function eventText(event: RunEvent, nameOf: JobNameOf): string {
  switch (event.event) {
    case 'action':
      return `${event.settled_at} ${named(event, nameOf)}: ${event.outcome}${event.reason === null ? '' : ` (${event.reason})`}`;
    case 'state':
      return event.state === 'asking'
        ? 'The run is paused and asks about a missed action: lcs profiles resume, or lcs profiles skip.'
        : `The run is ${event.state}.`;
    case 'next': {
      const others = event.others > 0 ? ` and ${event.others} more` : '';
      return `next: ${named(event, nameOf)}${others}${event.planned_at === null ? '' : ` at ${event.planned_at}`}`;
    }
    case 'end':
      return `${event.ended_at} The run is ${event.outcome === 'failed' ? 'over: it has failed' : event.outcome}.`;
  }
}

function statusText({ is_paused, waiting }: ProfileRunDetails, done: number): string {
  const waits = waiting.filter(({ action }) => action === 'when').length;
  const loops = waiting.filter(({ action, iteration }) => action === 'repeat' && iteration > 0).length;
  const parts = [
    is_paused ? 'paused' : 'running',
    `${done} done`,
    ...(waits > 0 ? [`${waits} waits`] : []),
    ...(loops > 0 ? [`${loops} loops`] : []),
    `${waiting.length} to come`,
  ];
  return parts.join(', ');
}

/** Lines above a status line, which is redrawn; without a terminal there is no status line. */
function screen(io: ProgramIo) {
  const isTerminal = io.stderr.isTTY === true;
  const clear = isTerminal ? '\r\u001b[K' : '';
  return {
    line: (text: string) => {
      io.stderr.write(clear);
      io.stdout.write(`${text}\n`);
    },
    remark: (text: string) => void io.stderr.write(`${clear}lcs: ${printable(text)}\n`),
    status: (text: string) => isTerminal && io.stderr.write(`${clear}${text}`),
    end: () => void io.stderr.write(clear),
  };
}

/** `lcs profiles watch`: what a run does, until it ends. */
export function addWatch(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('watch').description('follow a run to its end; exit code 0 when it has finished'), io)
    .requiredOption('--experiment <name>', 'which experiment')
    .argument('[run]', 'the ID of a run, as "lcs profiles runs --json" shows it; without it: the newest run')
    .action(async (id: string | undefined, options: ConnectionOptions & { experiment: string }) => {
      const leader = connect(options);
      const { experiment } = options;
      const params = { experiment, run_id: await runIdOf(leader, experiment, id) };
      const ending = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGPIPE'] as const) io.onSignal(signal, () => ending.abort());
      const { line, remark, status, end } = screen(io);
      const { waiting } = options.json ? { waiting: [] } : await leader.getProfileRun({ params });
      const nameOf = await jobNames(
        leader,
        waiting.map(({ job_name }) => job_name),
      );
      const watcher = new ProfileWatcher({
        clock: realClock(),
        run: () => leader.getProfileRun({ params }),
        actions: (limit) => leader.listProfileRunActions({ params, query: { limit } }),
        show: (event) => (options.json ? printJson(io, event) : line(printable(eventText(event, nameOf)))),
        status: (run, done) => options.json || status(statusText(run, done)),
        remark,
      });
      const outcome = await watcher.watch(ending.signal);
      if (!options.json) end();
      if (outcome === null || outcome === 'finished') return;
      throw new CommandFailure({
        error: outcome === 'stopped' ? 'The run was stopped.' : 'The run has failed.',
        cause: 'Its last actions are above.',
        remediation: `See why: lcs logs --experiment ${experiment}`,
      });
    });
}
