import type { Generated } from 'kysely';

/** Moments are integer milliseconds since 1970 UTC; the border turns them into ISO-8601 text. */
type Moment = number;

interface ExperimentsTable {
  /** Grows with each creation: the latest experiment has the highest. */
  id: Generated<number>;
  /** Identity across reuse of the name. */
  uid: string;
  name: string;
  created_at: Moment;
  description: string | null;
  /** Set when deletion begins: from then on the experiment is gone for everyone, and its rows are being removed. */
  deleting_at: Moment | null;
}

interface ExperimentTagsTable {
  experiment_id: number;
  position: number;
  tag: string;
}

interface WorkersTable {
  reactor_unit: string;
  added_at: Moment;
  is_active: number;
  model_name: string | null;
  model_version: string | null;
}

interface AssignmentsTable {
  reactor_unit: string;
  experiment_id: number;
  assigned_at: Moment;
}

/** Kept for ever, also after experiment and worker are gone: hence the name beside the id, and no foreign key. */
interface AssignmentHistoryTable {
  id: Generated<number>;
  reactor_unit: string;
  experiment_id: number;
  experiment: string;
  assigned_at: Moment;
  unassigned_at: Moment | null;
}

interface UnitLabelsTable {
  experiment_id: number;
  reactor_unit: string;
  label: string;
  created_at: Moment;
}

interface ChartPreferencesTable {
  experiment_id: number;
  /** JSON array of chart keys, or null for the configured default. */
  overview_chart_keys: string | null;
  reactor_chart_keys: string | null;
  updated_at: Moment;
}

interface LogsTable {
  id: Generated<number>;
  /** Null for entries of the cluster itself (`$experiment`). */
  experiment_id: number | null;
  experiment: string;
  reactor_unit: string;
  at: Moment;
  level: string;
  message: string;
  source: string;
  task: string;
}

interface ConfigHistoriesTable {
  id: Generated<number>;
  at: Moment;
  filename: string;
  data: string;
}

export interface LeaderTables {
  experiments: ExperimentsTable;
  experiment_tags: ExperimentTagsTable;
  workers: WorkersTable;
  assignments: AssignmentsTable;
  assignment_history: AssignmentHistoryTable;
  unit_labels: UnitLabelsTable;
  chart_preferences: ChartPreferencesTable;
  logs: LogsTable;
  config_histories: ConfigHistoriesTable;
}
