import { Alert, Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { WarningIcon } from '../ui/icons.tsx';
import { codeWords } from '../words/code.ts';
import { commonWords } from '../words/common.ts';
import type { useDraft } from './use-draft.ts';

interface VersionNoticesProps {
  readonly draft: Pick<ReturnType<typeof useDraft>, 'isOutdated' | 'setAside' | 'showSaved' | 'takeBack'>;
  /** Where a version that is overwritten is kept. */
  readonly history: string;
  readonly onOverwrite: () => void;
  /** Between the explanation and the choices. */
  readonly children?: ReactNode;
}

/** Another person has saved the file meanwhile: both versions are kept until one is chosen. */
export function VersionNotices({ draft, history, onOverwrite, children }: VersionNoticesProps) {
  if (draft.isOutdated)
    return (
      <Alert color="blue" variant="light" icon={<WarningIcon />} title={codeWords.savedByAnother}>
        <Text size="sm">{codeWords.basedOnOlderVersion(history)}</Text>
        {children}
        <Group gap="xs" mt="xs">
          <Button size="xs" variant="default" onClick={draft.showSaved}>
            {commonWords.loadSavedVersion}
          </Button>
          <Button size="xs" variant="default" onClick={onOverwrite}>
            {commonWords.overwriteWithMine}
          </Button>
        </Group>
      </Alert>
    );
  if (draft.setAside === undefined) return null;
  return (
    <Alert color="blue" variant="light" icon={<WarningIcon />} title={codeWords.yourChangesAreKeptAside}>
      <Text size="sm">{codeWords.youSeeSavedVersion}</Text>
      <Button mt="xs" size="xs" variant="default" onClick={draft.takeBack}>
        {codeWords.loadMyChangesAgain}
      </Button>
    </Alert>
  );
}
