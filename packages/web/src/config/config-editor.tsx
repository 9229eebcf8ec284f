import { leaderApi } from '@lcs/contract';
import { Alert, Button, Group, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import type { ConfigFileText } from '../api/query-keys.ts';
import { useUnsavedWork } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { findingsOf, isConflict } from './config-findings.ts';
import { ConfigHistory } from './config-history.tsx';
import { ConfigText, Findings } from './config-text.tsx';
import { useSaveConfig } from './use-config-file.ts';

interface ConfigEditorProps {
  /** Absent: the shared file. */
  readonly unit: string | undefined;
  /** The version on the leader. */
  readonly current: ConfigFileText;
}

/** Edits and saves one configuration file, and restores earlier versions. */
export function ConfigEditor({ unit, current }: ConfigEditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  /** The edited text and the version that it is based on; undefined while nothing is edited. */
  const [draft, setDraft] = useState<{ readonly text: string; readonly base: ConfigFileText } | undefined>();
  const save = useSaveConfig(unit);
  const may = useMay();
  const maySave = may(unit === undefined ? leaderApi.saveSharedConfig : leaderApi.saveSpecificConfig);
  const text = draft?.text ?? current.text;
  const isEdited = draft !== undefined && draft.text !== current.text;
  const isOutdated = isEdited && draft.base.version !== current.version;
  useUnsavedWork(isEdited);

  const edit = (changed: string): void => setDraft({ text: changed, base: draft?.base ?? current });
  const submit = (basedOn: string | undefined): void =>
    save.mutate({ code: text, basedOn }, { onSuccess: () => setDraft(undefined) });
  const findings = findingsOf(save.error);
  const warnings = save.data?.diagnostics ?? [];
  const label = unit === undefined ? 'Shared configuration' : `Configuration of ${unit}`;

  return (
    <>
      <Panel
        title={label}
        aside={
          <Group gap="xs">
            {isEdited && (
              <Button size="xs" variant="default" onClick={() => setDraft(undefined)}>
                Discard changes
              </Button>
            )}
            <Button
              size="xs"
              disabled={!isEdited}
              loading={save.isPending}
              onClick={() => submit(draft?.base.version)}
              {...maySave}
            >
              Save
            </Button>
          </Group>
        }
      >
        {isOutdated && (
          <Alert color="blue" variant="light" icon={<WarningIcon />} title="Another person has saved this file" mb="xs">
            <Text size="sm">Your changes are based on an older version. Discard them to see the new one.</Text>
            <Button mt="xs" size="xs" variant="default" onClick={() => submit(current.version)}>
              Overwrite with my version
            </Button>
          </Alert>
        )}
        {save.error !== null && !isConflict(save.error) && findings.length === 0 && <ProblemAlert error={save.error} />}
        {findings.length > 0 && (
          <Alert color="red" variant="light" icon={<WarningIcon />} title="Not saved" role="alert">
            <Findings findings={findings} text={text} field={field} />
          </Alert>
        )}
        {save.isSuccess && !isEdited && (
          <Text size="sm" role="status">
            <CheckIcon size={14} /> Saved. Running jobs keep their values until they are started again.
          </Text>
        )}
        {warnings.length > 0 && <Findings findings={warnings} text={text} field={field} />}
        <ConfigText label={label} text={text} onChange={edit} field={field} isReadOnly={maySave.disabled ?? false} />
      </Panel>
      <ConfigHistory unit={unit} onRestore={edit} gate={maySave} />
    </>
  );
}
