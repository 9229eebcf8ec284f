import type { ImportReport } from '@lcs/contract';

const heading = (text: string): string[] => ['', text, '-'.repeat(text.length)];

const skippedText = (skipped: ImportReport['tables'][number]['skipped']): string =>
  skipped.map(({ reason, rows }) => `${rows} ${reason}`).join('; ');

/** Names of the source may contain anything: each text stays within its line. */
const withinLine = (line: string): string => line.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');

const verdict = ({ is_verified, is_dry_run, tables, experiments }: ImportReport): string => {
  if (is_dry_run) return 'Dry run: nothing was changed.';
  if (!is_verified)
    return 'NOT COMPLETE: see the experiments that were not imported, and the tables whose checksums differ or that have a fault.';
  const rows = tables.flatMap(({ skipped }) => skipped).reduce((sum, skip) => sum + skip.rows, 0);
  const left = experiments.filter(({ experiment }) => experiment === null).length;
  return `Every row that was accepted is in the store; ${rows} rows and ${left} experiments were not imported.`;
};

function tableLines({ tables, other_tables }: ImportReport): string[] {
  const lines = tables.flatMap(({ table, rows, imported, skipped, checksum, stored_checksum, fault }) => {
    const isSame =
      stored_checksum === null ? '' : stored_checksum === checksum ? ', checksum equal' : ', CHECKSUM DIFFERS';
    return [
      `${table}: ${rows} rows, ${imported} imported${isSame}`,
      ...(skipped.length > 0 ? [`  not imported: ${skippedText(skipped)}`] : []),
      ...(fault === null ? [] : [`  FAULT: ${fault}`]),
      `  ${checksum}`,
    ];
  });
  const others = other_tables.map(({ table, rows, reason }) => `${table}: ${rows ?? 'unreadable'} rows: ${reason}`);
  return [...lines, ...(others.length > 0 ? heading('Tables that do not come') : []), ...others];
}

/** A report for people. */
export function reportText(report: ImportReport): string {
  const { source, started_at, ended_at, source_changed, experiments, files, configuration } = report;
  const differing = configuration.filter(({ status }) => status === 'differs');
  const foreign = configuration.filter(({ status }) => status === 'no_meaning');
  const same = configuration.length - differing.length - foreign.length;
  const lines = [
    `Import from ${source}`,
    `${started_at} to ${ended_at}`,
    verdict(report),
    ...(source_changed ? ['The database was written during the import: stop the other system and import again.'] : []),
    ...heading('Experiments'),
    ...experiments.map(({ source_name, experiment, status, reason, rows }) =>
      experiment === null
        ? `${source_name}: not imported. ${reason ?? ''}`
        : `${source_name}: ${rows} rows, as ${experiment}${status === 'known' ? ' (from an earlier import)' : ''}`,
    ),
    ...heading('Tables'),
    ...tableLines(report),
    ...heading('Files'),
    ...files.map(
      ({ file, status, target, messages }) =>
        `${file}: ${status}${target === null ? '' : ` as ${target}`}${messages.length > 0 ? `: ${messages.join(' ')}` : ''}`,
    ),
    ...heading('Configuration (not applied)'),
    `${same} settings have the same value here.`,
    ...differing.map(
      ({ file, section, key, value, value_here }) =>
        `${file} [${section}] ${key}=${value} (here: ${value_here ?? 'not set'})`,
    ),
    ...(foreign.length > 0 ? [`Without a meaning here: ${foreign.length}`] : []),
    ...foreign.map(({ file, section, key }) => `${file} [${section}] ${key}`),
  ];
  return `${lines.map(withinLine).join('\n')}\n`;
}
