import { Skeleton, Stack, Title } from '@mantine/core';
import { useAssignments, useLeaderIdentity, useUnits, useWorkers } from '../services/queries.ts';
import { useConnection } from '../services/use-connection.ts';
import { useDated } from '../services/use-ticking.ts';
import { localText, zoneText } from '../time/moment-text.ts';
import { fixedText } from '../ui/number-text.ts';
import { Panel } from '../ui/panel.tsx';
import { commonWords } from '../words/common.ts';
import { settingsWords } from '../words/settings.ts';
import { DrivesPanel } from './drives-panel.tsx';
import { LeaderHealthFacts } from './leader-health-facts.tsx';
import styles from './leader-page.module.css';

/** A difference of clocks below this is the time of a request. */
const notableAheadMs = 2_000;

const aheadText = (aheadMs: number): string =>
  Math.abs(aheadMs) < notableAheadMs
    ? settingsWords.agreesWithThisDevice
    : settingsWords.clockDifference(fixedText(Math.abs(aheadMs) / 1000, 0), aheadMs);

/** The computer that leads the units. */
export function LeaderPage() {
  const identity = useLeaderIdentity();
  const { since } = useConnection();
  const { data: workers = [] } = useWorkers();
  const { data: assignments = [] } = useAssignments();
  const { data: statuses = [] } = useUnits();
  const dated = useDated();
  const online = workers.filter(({ reactor_unit }) =>
    statuses.some((status) => status.reactor_unit === reactor_unit && status.liveness === 'online'),
  );
  const rows: readonly (readonly [string, string])[] =
    identity === undefined
      ? []
      : [
          [commonWords.name, identity.leader],
          [commonWords.clock, aheadText(identity.aheadMs)],
          [settingsWords.connectedSince, `${localText(since)} ${zoneText(since)}`],
          [commonWords.units, dated(settingsWords.ofThemOnline(workers.length, online.length))],
          [commonWords.assignedUnits, String(assignments.filter(({ experiment }) => experiment !== null).length)],
        ];
  return (
    <Stack>
      <title>{commonWords.pageTitle(commonWords.leader)}</title>
      <Title order={1} size="h2">
        {commonWords.leader}
      </Title>
      <LeaderHealthFacts />
      <Panel title={settingsWords.connection}>
        {rows.length === 0 && <Skeleton height={120} role="status" aria-label={settingsWords.loadingStateOfLeader} />}
        <dl className={styles.facts}>
          {rows.map(([name, value]) => (
            <div key={name} className={styles.fact}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      {identity !== undefined && <DrivesPanel leaderName={identity.leader} />}
    </Stack>
  );
}
