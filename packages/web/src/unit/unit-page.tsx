import { dosingAutomationJob } from '@lcs/domain';
import { EmptyState, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo } from 'react';
import { OpenSessionsList } from '../calibrations/open-sessions-list.tsx';
import { UnitCalibrations } from '../calibrations/unit-calibrations.tsx';
import { useOpenSessions } from '../calibrations/use-open-sessions.ts';
import { dosingNowText } from '../jobs/running-dosing.ts';
import { useBiomassChoices } from '../jobs/use-biomass-choices.ts';
import { useAssignments } from '../services/queries.ts';
import { ConcernedExperiment } from '../services/use-may.ts';
import { useLastKnown, useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { UnitIcon } from '../ui/icons.tsx';
import { Panel } from '../ui/panel.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { ActuationList } from '../units/unit-actuations.tsx';
import { UnitRemarks } from '../units/unit-remarks.tsx';
import { livenessText } from '../units/unit-status.ts';
import { commonWords } from '../words/common.ts';
import { unitWords } from '../words/unit.ts';
import { ControlTab } from './control-tab.tsx';
import { HardwareTab } from './hardware-tab.tsx';
import { LiveTab } from './live-tab.tsx';
import styles from './unit-page.module.css';
import { type UnitTab, unitTabOf, unitTabs } from './unit-search.ts';
import { type UnitFacts, useUnit } from './use-unit.ts';

const route = getRouteApi('/units/$unit');

const titles: Readonly<Record<UnitTab, string>> = unitWords.tabs;

/** The names of the unit, where it is, and whether the leader receives data from it. */
function UnitHead({ facts }: { readonly facts: UnitFacts }) {
  const { unit, name, label, status, experiment, modelName } = facts;
  const nowMs = useLeaderNow();
  const liveness = useTicking(() => livenessText(status, nowMs()));
  const lastKnown = useLastKnown();
  const { data: assignments = [] } = useAssignments();
  // Its charts are those of the experiment, without the other units.
  const others = assignments
    .filter((each) => each.experiment === experiment && each.reactor_unit !== unit)
    .map(({ reactor_unit }) => reactor_unit);
  return (
    <div className={styles.head}>
      <Title order={1} size="h2">
        {name}
      </Title>
      <span className={styles.facts}>
        {[
          label === null ? null : unit,
          modelName ?? commonWords.noModelSet,
          status?.is_simulated ? commonWords.simulated : null,
        ]
          .filter((text) => text !== null)
          .join(' · ')}
      </span>
      <span className={styles.facts}>{lastKnown === null ? liveness : commonWords.lastKnown(lastKnown)}</span>
      <span className={styles.facts}>
        {experiment === null ? (
          commonWords.inNoExperiment
        ) : (
          <Link to="/experiments/$experiment" params={{ experiment }} className="page-link">
            {experiment}
          </Link>
        )}
      </span>
      {experiment !== null && (
        <Link
          to="/experiments/$experiment/overview"
          params={{ experiment }}
          search={others.length === 0 ? {} : { hidden: others.join(',') }}
          className="page-link"
        >
          {unitWords.itsCharts}
        </Link>
      )}
      <Link to="/settings/log" search={{ unit }} className="page-link">
        {unitWords.itsLog}
      </Link>
    </div>
  );
}

function WhyTab({ facts }: { readonly facts: UnitFacts }) {
  const { at } = route.useSearch();
  const navigate = route.useNavigate();
  const { unit, name, status, experiment, job, isKnown } = facts;
  const dosing = job(dosingAutomationJob.name);
  const units = useMemo(() => [unit], [unit]);
  const nameOf = useCallback(() => name, [name]);
  const isAsked = isKnown && dosing !== undefined && status?.liveness === 'online';
  const { reported } = useBiomassChoices(units, nameOf, isAsked);
  const dosingNow = isAsked ? dosingNowText(dosing, reported[0]?.signals) : null;
  return (
    <Panel title={commonWords.whyHistoryOf(name)}>
      {dosingNow !== null && (
        <Text size="sm" mb="sm" role="status">
          {dosingNow}
        </Text>
      )}
      <ActuationList
        unit={unit}
        unitName={name}
        experiment={experiment}
        shownAt={at === undefined ? null : Date.parse(at)}
        onNewest={() => void navigate({ to: '/units/$unit', params: { unit }, search: { tab: 'why' }, replace: true })}
      />
    </Panel>
  );
}

const tabParts: { readonly [Tab in UnitTab]: (facts: UnitFacts) => ReactNode } = {
  live: (facts) => <LiveTab facts={facts} />,
  control: (facts) => <ControlTab facts={facts} />,
  why: (facts) => <WhyTab facts={facts} />,
  calibrations: (facts) => <UnitCalibrations unit={facts.unit} />,
  hardware: (facts) => <HardwareTab facts={facts} />,
};

function NoSuchUnit({ unit }: { readonly unit: string }) {
  return (
    <EmptyState
      py={48}
      icon={<UnitIcon size={40} />}
      title={<h1 className="empty-title">{unitWords.thereIsNoUnit(unit)}</h1>}
      description={unitWords.removedOrMisspelled}
    >
      <EmptyState.Actions>
        <Link to="/units" className="page-link">
          {commonWords.allUnits}
        </Link>
      </EmptyState.Actions>
    </EmptyState>
  );
}

/** Everything about one unit; its name and the tab are in the address. */
export function UnitPage() {
  const { unit } = route.useParams();
  const { tab = 'live', session } = route.useSearch();
  const navigate = route.useNavigate();
  const facts = useUnit(unit);
  const open = useOpenSessions();
  const { workers, worker, status, name, experiment } = facts;
  const choose = (value: string | null): void => {
    const chosen = unitTabOf(value);
    if (chosen) void navigate({ to: '/units/$unit', params: { unit }, search: { tab: chosen }, replace: true });
  };
  if (worker === undefined) {
    if (workers.error) return <ProblemAlert error={workers.error} onRetry={() => void workers.refetch()} />;
    if (!workers.data) return <Skeleton height={300} role="status" aria-label={unitWords.loadingUnit} />;
    return <NoSuchUnit unit={unit} />;
  }
  return (
    <ConcernedExperiment value={experiment ?? undefined}>
      <Stack gap="md">
        <title>{commonWords.pageTitle(name)}</title>
        <UnitHead facts={facts} />
        {status && <UnitRemarks status={status} isActive={worker.is_active === 1} />}
        <OpenSessionsList sessions={open.filter((one) => one.unit === unit && one.session !== session)} />
        <Tabs value={tab} onChange={choose} keepMounted={false}>
          <Tabs.List mb="md" className={styles.tabs ?? ''}>
            {unitTabs.map((each) => (
              <Tabs.Tab key={each} value={each}>
                {titles[each]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {unitTabs.map((each) => (
            <Tabs.Panel key={each} value={each}>
              <PartBoundary part={titles[each]} resetKey={unit}>
                {tabParts[each](facts)}
              </PartBoundary>
            </Tabs.Panel>
          ))}
        </Tabs>
      </Stack>
    </ConcernedExperiment>
  );
}
