import type { LiveJob } from '@lcs/contract';
import { useMemo } from 'react';
import { useJobDescriptors } from '../services/queries.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { startWords } from '../words/start.ts';
import styles from './lacking-jobs.module.css';
import { lackingJobs } from './start-needs.ts';

/** The running jobs of a unit in its experiment that need others which are off: on, but not well. */
export function LackingJobs({ jobs }: { readonly jobs: readonly LiveJob[] }) {
  const { data: descriptors = [] } = useJobDescriptors();
  const lacking = useMemo(() => lackingJobs({ jobs, capabilities: [], descriptors }), [jobs, descriptors]);
  return lacking.map(({ name, title, off }) => (
    <p key={name} className={styles.lacking} data-lacking={name}>
      <WarningIcon size={14} />
      <span>
        {startWords.needsOff(
          title,
          off.map((each) => each.title),
        )}
      </span>
    </p>
  ));
}
