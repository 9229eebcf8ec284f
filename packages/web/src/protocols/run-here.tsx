import { Button, Group, Select, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { PlayIcon } from '../ui/icons.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { protocolsWords } from '../words/protocols.ts';
import { RunDialog } from './run-dialog.tsx';
import { useProfileFile } from './use-profile-file.ts';
import { useProfiles } from './use-profiles.ts';

/** Runs a saved profile in one experiment. */
export function RunHere({ experiment }: { readonly experiment: string }) {
  const { data: profiles, error } = useProfiles();
  const [filename, setFilename] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const file = useProfileFile(filename ?? undefined);
  const usable = (profiles ?? []).filter(({ parse_error }) => parse_error === undefined);
  if (error && profiles === undefined) return <ProblemAlert error={error} />;
  if (profiles !== undefined && usable.length === 0)
    return (
      <Text size="sm">
        {protocolsWords.noProfileIsSavedYet(
          <Link to="/protocols" className="page-link in-text">
            {protocolsWords.chooseStartingPoint}
          </Link>,
        )}
      </Text>
    );
  return (
    <>
      <Group gap="xs" align="flex-end">
        <Select
          size="xs"
          label={protocolsWords.profile}
          placeholder={protocolsWords.chooseSavedProfile}
          searchable
          data={usable.map((each) => each.file)}
          value={filename}
          onChange={setFilename}
        />
        <Button
          size="xs"
          variant="default"
          leftSection={<PlayIcon size={14} />}
          disabled={file.data === undefined}
          onClick={() => setOpen(true)}
        >
          {protocolsWords.run}
        </Button>
      </Group>
      {file.error && <ProblemAlert error={file.error} />}
      {isOpen && filename !== null && file.data !== undefined && (
        <RunDialog filename={filename} text={file.data.text} experiment={experiment} onClose={() => setOpen(false)} />
      )}
    </>
  );
}
