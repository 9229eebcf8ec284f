import { Alert, Anchor, Group, Select, Skeleton, Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useUnits } from '../services/queries.ts';
import { useUnitNames } from '../services/use-unit-names.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { configWords } from '../words/config.ts';
import { ConfigEditor } from './config-editor.tsx';
import { unitsBehind } from './config-findings.ts';
import { useConfigFile } from './use-config-file.ts';

const route = getRouteApi('/settings/configuration');

/** The choice of the shared file; no unit can have this name. */
const sharedFile = '$shared';

/** The configuration files: one for all units, and one for each. */
export function ConfigPage() {
  const { unit, find = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const units = useUnits();
  const file = useConfigFile(unit);
  const behind = unitsBehind(units.data ?? [], unit);
  const nameOf = useUnitNames();
  const choices = [
    { value: sharedFile, label: configWords.sharedByAllUnits },
    ...(units.data ?? []).map(({ reactor_unit }) => ({ value: reactor_unit, label: nameOf(reactor_unit) })),
  ];
  return (
    <Stack>
      <title>{commonWords.pageTitle(commonWords.configuration)}</title>
      <Title order={1} size="h2">
        {commonWords.configuration}
      </Title>
      <Group justify="space-between" align="end">
        <Select
          label={commonWords.file}
          data={choices}
          value={unit ?? sharedFile}
          allowDeselect={false}
          onChange={(value) => {
            const search = value === null || value === sharedFile ? {} : { unit: value };
            void navigate({ to: '/settings/configuration', search });
          }}
        />
        <Anchor href="/api/config/zipped" download size="sm">
          {configWords.downloadAllFiles}
        </Anchor>
      </Group>
      {behind.length > 0 && (
        <Alert color="blue" variant="light" icon={<WarningIcon />} title={configWords.notAppliedEverywhere}>
          <Text size="sm">
            {configWords.appliedWhenReachable(
              behind.map(({ reactor_unit, liveness }) => `${nameOf(reactor_unit)} (${liveness})`).join(', '),
            )}
          </Text>
        </Alert>
      )}
      {file.error && !file.data && (
        <ProblemAlert error={file.error} onRetry={() => file.refetch()} retrying={file.isFetching} />
      )}
      {file.isPending && <Skeleton height={320} role="status" aria-label={configWords.loadingFile} />}
      {file.data && <ConfigEditor key={`${unit ?? sharedFile} ${find}`} unit={unit} current={file.data} find={find} />}
    </Stack>
  );
}
