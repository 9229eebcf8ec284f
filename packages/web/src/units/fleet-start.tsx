import { broadcast } from '../api/broadcast.ts';
import { refusalWithTitle, type ShownJob } from '../jobs/job-catalog.ts';
import type { Confirmation } from '../jobs/job-control.ts';
import { StartJob } from '../jobs/start-job.tsx';
import { reasonOf } from '../jobs/use-job-control.ts';
import { useServices } from '../services/services.tsx';
import type { useUnitCommand } from '../tasks/use-unit-command.ts';
import { commonWords } from '../words/common.ts';

interface FleetStartProps {
  readonly experiment: string;
  /** The units on which it is started. */
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  readonly where: string;
  readonly job: ShownJob;
  readonly shortfalls: readonly { readonly unit: string; readonly reason: string }[];
  readonly fleet: ReturnType<typeof useUnitCommand>;
  readonly onClose: () => void;
}

/** The form that starts one job on several units; it stays open until all of them accept the start. */
export function FleetStart({ experiment, units, nameOf, where, job, shortfalls, fleet, onClose }: FleetStartProps) {
  const { leader } = useServices();
  const { command, sendSteps, sendEach } = fleet;
  const title = commonWords.startNamed(job.title);
  const run = (addressed: readonly string[], options: object, confirmed?: Confirmation) =>
    leader.runWorkerJob({
      params: { reactor_unit: broadcast, job: job.name, experiment },
      query: { units: addressed.join(',') },
      body: { options: { ...options }, env: { JOB_SOURCE: 'user' }, confirm_dilution: confirmed !== undefined },
      ...reasonOf(confirmed),
    });
  const goal = { job: job.name, experiment, runs: true };
  const refusals = command.phase === 'failed' ? command.refusals.map((each) => refusalWithTitle(each, job)) : [];
  return (
    <StartJob
      shown={job}
      where={where}
      units={units}
      nameOf={nameOf}
      shortfalls={shortfalls.map(({ unit, reason }) => ({ unit: nameOf(unit), reason }))}
      status={{ isPending: command.phase === 'pending', refusals }}
      isOpen
      onClose={onClose}
      onStart={(options) => void sendSteps(title, [{ units, request: () => run(units, options), goal }], onClose)}
      onConfirm={(options, refused, confirmed) => {
        const requests = refused.flatMap(({ unitId: unit }) =>
          unit === undefined ? [] : [{ unit, request: () => run([unit], options, confirmed), goal }],
        );
        void sendEach(title, requests, onClose);
      }}
    />
  );
}
