import type { AuditEntry } from '@lcs/contract';
import { Button, Code, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { LongRows } from '../ui/long-table.tsx';
import { Moment } from '../ui/moments.tsx';
import { auditWords } from '../words/audit.ts';
import { commonWords } from '../words/common.ts';
import { callerOf, deedOf, outcomeOf, subjectOf, withoutRepeats } from './audit-sentence.ts';
import styles from './audit-table.module.css';

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

function EntryDialog({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) {
  const { seq, timestamp, caller, caller_kind, address, channel, method, path, reason, hash, request_id } = entry;
  return (
    <Dialog isOpen onClose={onClose} title={`${callerOf(entry)} ${deedOf(entry)}`} size="lg">
      <Stack gap="sm">
        <Text size="sm">
          {auditWords.entryDetails(<Moment ms={Date.parse(timestamp)} />, seq, caller, caller_kind, address, channel)}
        </Text>
        {reason !== null && <Text size="sm">{auditWords.reasonGiven(reason)}</Text>}
        <Part title={auditWords.request} text={entry.body} />
        <Part title={auditWords.before} text={entry.before} />
        <Part title={auditWords.after} text={entry.after} />
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {entry.operation}: {method} {path} · {resultOf(entry)}
          <br />
          {auditWords.requestSha256(request_id, hash)}
        </Text>
      </Stack>
    </Dialog>
  );
}

/** Entries, newest first, as sentences; each opens with its details. */
export function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const [opened, setOpened] = useState<AuditEntry>();
  return (
    <>
      <ol className={styles.entries} aria-label={commonWords.audit}>
        <LongRows rows={withoutRepeats(entries)} keyOf={({ seq }) => String(seq)} estimatedPx={45} kind="list">
          {(entry, place) => {
            const { text, isBad } = outcomeOf(entry);
            const subject = subjectOf(entry);
            return (
              <li className={styles.entry} {...place}>
                <span className={styles.time}>
                  <Moment ms={Date.parse(entry.timestamp)} />
                </span>
                <span className={styles.sentence}>
                  <strong>{callerOf(entry)}</strong> {deedOf(entry)}
                  {subject !== '' && <span className={styles.subject}> – {subject}</span>}
                  {entry.reason !== null && <span className={styles.subject}> “{entry.reason}”</span>}
                </span>
                <span className={styles.outcome} data-bad={isBad || undefined}>
                  {text}
                </span>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  onClick={() => setOpened(entry)}
                  aria-label={auditWords.detailsOfEntry(entry.seq, deedOf(entry))}
                >
                  {commonWords.details}
                </Button>
              </li>
            );
          }}
        </LongRows>
      </ol>
      {opened && <EntryDialog entry={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}
