import { Stack } from '@mantine/core';
import { JobRow } from '../jobs/job-row.tsx';
import { useShownJobs } from '../jobs/use-job-catalog.ts';
import { Panel } from '../ui/panel.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { IdentityForm } from './identity-form.tsx';
import { FreeUnit } from './live-tab.tsx';
import { ManualDosing } from './manual-dosing.tsx';
import { ManualLight } from './manual-light.tsx';
import styles from './unit-page.module.css';
import type { UnitFacts } from './use-unit.ts';
import { VialForm } from './vial-form.tsx';

function Jobs({ facts, experiment }: { readonly facts: UnitFacts; readonly experiment: string }) {
  const { unit, name, status, worker, job, isKnown } = facts;
  const shownJobs = useShownJobs(unit, status?.liveness === 'online');
  return (
    <Panel title="Jobs">
      <ul className={styles.rows} aria-label={`Jobs of ${name}`}>
        {shownJobs.map((shown) => (
          <PartBoundary key={shown.name} part={shown.title} resetKey={job}>
            <JobRow
              unit={unit}
              unitName={name}
              experiment={experiment}
              shown={shown}
              job={job(shown.name)}
              isActive={worker?.is_active === 1}
              isKnown={isKnown}
            />
          </PartBoundary>
        ))}
      </ul>
    </Panel>
  );
}

/** Everything that can be started, dosed, lit and set on the unit. */
export function ControlTab({ facts }: { readonly facts: UnitFacts }) {
  const { experiment, unit } = facts;
  if (experiment === null)
    return (
      <Stack gap="md">
        <FreeUnit unit={unit} />
        <IdentityForm facts={facts} />
      </Stack>
    );
  const common = { facts, experiment };
  return (
    <div className={styles.control}>
      <div className={styles.column}>
        <Jobs {...common} />
        <IdentityForm facts={facts} />
      </div>
      <div className={styles.column}>
        <ManualDosing key={`${unit} dose`} {...common} />
        <ManualLight key={`${unit} light`} {...common} />
        <VialForm key={`${unit} volumes`} {...common} />
      </div>
    </div>
  );
}
