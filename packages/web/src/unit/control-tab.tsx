import { Stack } from '@mantine/core';
import { getRouteApi, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { JobRow } from '../jobs/job-row.tsx';
import { useShownJobs } from '../jobs/use-job-catalog.ts';
import { Panel } from '../ui/panel.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { commonWords } from '../words/common.ts';
import { IdentityForm } from './identity-form.tsx';
import { FreeUnit } from './live-tab.tsx';
import { ManualDosing } from './manual-dosing.tsx';
import { ManualLight } from './manual-light.tsx';
import styles from './unit-page.module.css';
import type { UnitFacts } from './use-unit.ts';
import { VialForm } from './vial-form.tsx';

const route = getRouteApi('/units/$unit');

/**
 * Leads once to the job that the address names: its row is marked, and the keyboard is on its first act, which is done where the person
 * has chosen it. The address then loses the job: a list that is read again leads nowhere, and the same job can be chosen again.
 */
function useNamedJob(unit: string, isShown: (job: string) => boolean) {
  const { job } = route.useSearch();
  const navigate = route.useNavigate();
  const act = useLocation({ select: ({ state }) => state.jobAct });
  const list = useRef<HTMLUListElement>(null);
  const named = job !== undefined && isShown(job) ? job : null;
  useEffect(() => {
    const row = named === null ? null : list.current?.querySelector<HTMLElement>(`[data-job="${CSS.escape(named)}"]`);
    if (!row) return;
    for (const other of list.current?.querySelectorAll('[data-named]') ?? [])
      other.toggleAttribute('data-named', false);
    row.scrollIntoView({ block: 'center' });
    row.toggleAttribute('data-named', true);
    row.querySelector<HTMLElement>('[data-acts] button:not(:disabled)')?.focus({ preventScroll: true });
    if (act !== undefined) row.querySelector<HTMLElement>(`[data-act=${act}]`)?.click();
    const search = { tab: 'control' } as const;
    void navigate({ to: '/units/$unit', params: { unit }, search, replace: true, resetScroll: false });
  }, [named, act, navigate, unit]);
  return list;
}

function Jobs({ facts, experiment }: { readonly facts: UnitFacts; readonly experiment: string }) {
  const { unit, fullName: name, status, worker, job, isKnown } = facts;
  const shownJobs = useShownJobs(unit, status?.liveness === 'online');
  const list = useNamedJob(unit, (named) => shownJobs.some(({ name: each }) => each === named));
  return (
    <Panel title={commonWords.jobs}>
      <ul ref={list} className={styles.rows} aria-label={commonWords.jobsOf(name)}>
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
