import { EmptyState, Stack, Title } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { BellIcon } from '../ui/icons.tsx';
import styles from '../ui/path-tabs.module.css';
import { alarmsWords } from '../words/alarms.ts';
import { commonWords } from '../words/common.ts';
import { AlarmChannels } from './alarm-channels.tsx';
import { AlarmHistory } from './alarm-history.tsx';
import { AlarmRules } from './alarm-rules.tsx';
import { type AlarmTab, alarmTabOf, alarmTabs } from './alarms-search.ts';
import { OpenAlarms } from './open-alarms.tsx';

const route = getRouteApi('/alarms/$page');

const labels: { readonly [Tab in AlarmTab]: string } = alarmsWords.tabs;

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
      <title>{commonWords.pageTitle(commonWords.alarms)}</title>
      <Title order={1} size="h2">
        {commonWords.alarms}
      </Title>
      <nav aria-label={commonWords.alarms} className={styles.tabs}>
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
          title={<h2 className="empty-title">{alarmsWords.thereIsNoSuchPage}</h2>}
        >
          <EmptyState.Actions>
            <Link to="/alarms" className="page-link">
              {alarmsWords.alarmsNow}
            </Link>
          </EmptyState.Actions>
        </EmptyState>
      ) : (
        parts[page]
      )}
    </Stack>
  );
}
