import { callPath, type ImportReport, leaderApi } from '@lcs/contract';
import { Alert, Anchor, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { plainWords } from '../api/plain-words.ts';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { countText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { settingsWords } from '../words/settings.ts';
import { fileStatusText, importVerdict, settingsText } from './import-text.ts';

interface PartProps {
  readonly title: string;
  readonly children: ReactNode;
}

const Part = ({ title, children }: PartProps) => (
  <div>
    <Text component="h3" size="sm" fw={600} m={0} mb={4}>
      {title}
    </Text>
    {children}
  </div>
);

const Experiments = ({ experiments }: Pick<ImportReport, 'experiments'>) => (
  <Table aria-label={settingsWords.experimentsOfImport}>
    <Table.Thead>
      <Table.Tr>
        <Table.Th>{settingsWords.experimentThere}</Table.Th>
        <Table.Th>{commonWords.here}</Table.Th>
        <Table.Th>{settingsWords.rows}</Table.Th>
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {experiments.map(({ source_name, experiment, status, reason, rows }) => (
        <Table.Tr key={source_name}>
          <Table.Td translate="no">{source_name}</Table.Td>
          <Table.Td>
            {experiment === null ? (
              settingsWords.doesNotCome(reason === null ? '' : `: ${plainWords(reason)}`)
            ) : (
              <>
                <span translate="no">{experiment}</span>
                {status === 'known' && settingsWords.fromEarlierImport}
              </>
            )}
          </Table.Td>
          <Table.Td>{countText(rows)}</Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
);

/** Tables with rows; the names are those of the other system. */
function Tables({ tables }: Pick<ImportReport, 'tables'>) {
  const filled = tables.filter(({ rows, fault }) => rows > 0 || fault !== null);
  return (
    <Table.ScrollContainer minWidth={420}>
      <Table aria-label={settingsWords.tablesOfImport}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{commonWords.table}</Table.Th>
            <Table.Th>{settingsWords.rowsThere}</Table.Th>
            <Table.Th>{settingsWords.come}</Table.Th>
            <Table.Th>{settingsWords.doNotCome}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {filled.map(({ table, rows, imported, skipped, fault }) => (
            <Table.Tr key={table}>
              <Table.Td translate="no">{table}</Table.Td>
              <Table.Td>{countText(rows)}</Table.Td>
              <Table.Td>{countText(imported)}</Table.Td>
              <Table.Td>
                {[
                  ...skipped.map((skip) => `${countText(skip.rows)} ${plainWords(skip.reason)}`),
                  ...(fault === null ? [] : [plainWords(fault)]),
                ].join('; ') || '–'}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** What comes from another system, and what does not: the plan before, the report after an import. */
export function ImportReportView({ report }: { readonly report: ImportReport }) {
  const { import_id, is_dry_run, experiments, other_tables, files } = report;
  const { text, isGood } = importVerdict(report);
  return (
    <Stack gap="md">
      <Alert
        color={isGood ? 'sea' : 'orange'}
        variant="light"
        role="status"
        icon={isGood ? <CheckIcon /> : <WarningIcon />}
        data-verified={report.is_verified}
      >
        {text}
      </Alert>
      <Part title={commonWords.experiments}>
        {experiments.length === 0 ? (
          <Text size="sm">{settingsWords.thereAreNone}</Text>
        ) : (
          <Experiments experiments={experiments} />
        )}
      </Part>
      {files.length > 0 && (
        <Part title={settingsWords.profilesAndCalibrations}>
          <ul>
            {files.map((file) => (
              <li key={file.file}>
                <span translate="no">{file.file}</span> {plainWords(fileStatusText(file, is_dry_run))}
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Part title={settingsWords.tables}>
        <Tables tables={report.tables} />
      </Part>
      {other_tables.length > 0 && (
        <details>
          <summary>{settingsWords.otherTablesDoNotCome(other_tables.length)}</summary>
          <ul>
            {other_tables.map(({ table, rows, reason }) => (
              <li key={table}>
                <span translate="no">{table}</span>
                {rows !== null && settingsWords.rowCountNote(countText(rows))}: {plainWords(reason)}
              </li>
            ))}
          </ul>
        </details>
      )}
      <Text size="sm">{settingsText(report)}</Text>
      <Anchor
        href={callPath(leaderApi.getImportText, { params: { import_id } })}
        download={`import-${import_id}.txt`}
        size="sm"
      >
        {settingsWords.downloadWholeReport}
      </Anchor>
    </Stack>
  );
}
