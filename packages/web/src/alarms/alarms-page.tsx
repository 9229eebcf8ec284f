import { EmptyState, Stack, Title } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { BellIcon } from '../ui/icons.tsx';
import styles from '../ui/path-tabs.module.css';
import { AlarmChannels } from './alarm-channels.tsx';
import { AlarmHistory } from './alarm-history.tsx';
import { AlarmRules } from './alarm-rules.tsx';
import { type AlarmTab, alarmTabOf, alarmTabs } from './alarms-search.ts';
import { OpenAlarms } from './open-alarms.tsx';

const route = getRouteApi('/alarms/$page');

const labels: { readonly [Tab in AlarmTab]: string } = {
  now: 'Now',
  history: 'History',
  rules: 'Rules',
  notifications: 'Notifications',
};

const parts: { readonly [Tab in AlarmTab]: ReactNode } = {
  now: <OpenAlarms />,
  history: <AlarmHistory />,
  rules: <AlarmRules />,
  notifications: <AlarmChannels />,
};

/** Alarms, their rules and their notifications; the page is in the address. */
export function AlarmsPage() {
  const page = alarmTabOf(route.useParams().page);
  return (
    <Stack>
      <title>Alarms – Leader Control Service</title>
      <Title order={1} size="h2">
        Alarms
      </Title>
      <nav aria-label="Alarms" className={styles.tabs}>
        {alarmTabs.map((tab) => (
          <Link
            key={tab}
            to="/alarms/$page"
            params={{ page: tab }}
            className={styles.tab}
            {...(tab === page && { 'aria-current': 'page' })}
          >
            {labels[tab]}
          </Link>
        ))}
      </nav>
      {page === undefined ? (
        <EmptyState
          py={48}
          icon={<BellIcon size={40} />}
          title={<h2 className="empty-title">There is no such page</h2>}
        >
          <EmptyState.Actions>
            <Link to="/alarms" className="page-link">
              Alarms now
            </Link>
          </EmptyState.Actions>
        </EmptyState>
      ) : (
        parts[page]
      )}
    </Stack>
  );
}
