import { Stack, Tabs, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { AlarmChannels } from './alarm-channels.tsx';
import { AlarmList } from './alarm-list.tsx';
import { AlarmRules } from './alarm-rules.tsx';
import { type AlarmTab, alarmTabOf } from './alarms-search.ts';

const route = getRouteApi('/alarms');

const labels: { readonly [Tab in AlarmTab]: string } = { now: 'Alarms', rules: 'Rules', channels: 'Channels' };

/** Alarms, their rules and their channels. */
export function AlarmsPage() {
  const { tab = 'now' } = route.useSearch();
  const navigate = route.useNavigate();
  const choose = (value: string | null): void => {
    const chosen = alarmTabOf(value) ?? 'now';
    void navigate({ to: '/alarms', search: chosen === 'now' ? {} : { tab: chosen } });
  };
  return (
    <Stack>
      <title>Alarms – Leader Control Service</title>
      <Title order={1} size="h2">
        Alarms
      </Title>
      <Tabs value={tab} onChange={choose} keepMounted={false}>
        <Tabs.List mb="md">
          {Object.entries(labels).map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="now">
          <AlarmList />
        </Tabs.Panel>
        <Tabs.Panel value="rules">
          <AlarmRules />
        </Tabs.Panel>
        <Tabs.Panel value="channels">
          <Stack gap="md">
            <AlarmChannels />
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
