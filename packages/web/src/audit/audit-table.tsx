import type { AuditEntry } from '@lcs/contract';
import { Button, Code, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { Moment } from '../ui/moments.tsx';

/** JSON for people; other text as it is. */
function readable(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

function Part({ title, text }: { readonly title: string; readonly text: string | null }) {
  if (text === null) return null;
  return (
    <div>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Code block>{readable(text)}</Code>
    </div>
  );
}

const resultOf = ({ status, code }: AuditEntry): string => (code === null ? String(status) : `${status} ${code}`);

const subjectOf = ({ experiment, unit, job }: AuditEntry): string =>
  [experiment, unit, job].filter((name) => name !== null).join(' · ');

function EntryDialog({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) {
  const { seq, timestamp, caller, caller_kind, address, channel, method, path, reason, hash, request_id } = entry;
  return (
    <Dialog isOpen onClose={onClose} title={`Entry ${seq}: ${entry.operation}`} size="lg">
      <Stack gap="sm">
        <Text size="sm">
          <Moment ms={Date.parse(timestamp)} /> · {caller} ({caller_kind}) from {address}, {channel}
        </Text>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {method} {path} · {resultOf(entry)}
        </Text>
        {reason !== null && <Text size="sm">Reason: {reason}</Text>}
        <Part title="Request" text={entry.body} />
        <Part title="Before" text={entry.before} />
        <Part title="After" text={entry.after} />
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          Request {request_id} · SHA-256 {hash}
        </Text>
      </Stack>
    </Dialog>
  );
}

/** Entries, newest first; each opens with the state before and after. */
export function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const [opened, setOpened] = useState<AuditEntry>();
  return (
    <>
      <Table.ScrollContainer minWidth={720}>
        <Table aria-label="Audit">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Time</Table.Th>
              <Table.Th>Who</Table.Th>
              <Table.Th>What</Table.Th>
              <Table.Th>Concerns</Table.Th>
              <Table.Th>Result</Table.Th>
              <Table.Th>Reason</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {entries.map((entry) => (
              <Table.Tr key={entry.seq}>
                <Table.Td>
                  <Moment ms={Date.parse(entry.timestamp)} />
                </Table.Td>
                <Table.Td>{entry.caller}</Table.Td>
                <Table.Td>
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    onClick={() => setOpened(entry)}
                    aria-label={`Open entry ${entry.seq}: ${entry.operation}`}
                  >
                    {entry.operation}
                  </Button>
                </Table.Td>
                <Table.Td>{subjectOf(entry)}</Table.Td>
                <Table.Td>{resultOf(entry)}</Table.Td>
                <Table.Td>{entry.reason}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {opened && <EntryDialog entry={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}
