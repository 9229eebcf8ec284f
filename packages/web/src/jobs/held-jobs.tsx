import type { HeldJob } from '@lcs/contract';
import { jobTitle } from '@lcs/domain';
import { Link } from '@tanstack/react-router';
import { useJobDescriptors } from '../services/queries.ts';
import { useHeldJobsOfUnit } from '../services/use-by-unit.ts';
import { useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { momentText } from '../time/moment-text.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { startWords } from '../words/start.ts';
import styles from './lacking-jobs.module.css';

/** A job of a unit in its experiment that is off since a restart and waits for a person; undefined: it does not. */
export const useHeldJob = (unit: string, experiment: string, jobName: string): HeldJob | undefined =>
  useHeldJobsOfUnit(unit).find((held) => held.experiment === experiment && held.job_name === jobName);

/** Why a held job is off, and since when. */
export function useHeldText(held: HeldJob | undefined): string {
  const { data: descriptors = [] } = useJobDescriptors();
  const nowMs = useLeaderNow();
  const at = useTicking(() => (held === undefined ? '' : momentText(Date.parse(held.since), nowMs())));
  return held === undefined ? '' : startWords.isHeld(jobTitle(held.job_name, descriptors), at, held.was_stopped);
}

function Held({ held }: { readonly held: HeldJob }) {
  const text = useHeldText(held);
  return (
    <p className={styles.lacking} data-held={held.job_name}>
      <WarningIcon size={14} />
      <span>
        {text}{' '}
        <Link
          to="/units/$unit"
          params={{ unit: held.reactor_unit }}
          search={{ tab: 'control' }}
          className={`page-link in-text ${styles.act}`}
        >
          {startWords.startAgainOrLeaveOff}
        </Link>
      </span>
    </p>
  );
}

/** The jobs of a unit in its experiment that nobody has stopped and that are off since a restart. */
export const HeldJobs = ({ unit, experiment }: { readonly unit: string; readonly experiment: string }) =>
  useHeldJobsOfUnit(unit)
    .filter((held) => held.experiment === experiment)
    .map((held) => <Held key={held.job_id} held={held} />);
