export const samplingReminder = `# Sampling reminder: a chemostat that reminds you to take a sample every 12 hours, and does not dose while you take it.
#
# Adapt:    exchange_ml and interval_min: volume of one exchange, and minutes between two. The dilution rate is
#           60 * exchange_ml / (interval_min * volume): 0.5 mL every 20 minutes in 14 mL: 0.11 per hour.
#           Period of the samples: 'every'. Time to take one: the 't' of 'resume'.
# Needs:    calibrated media and waste pumps. Medium and free waste volume: 36 mL per day and unit.
#           Enter a sample as removed volume of the vial (bioreactor), so that the next exchanges are right.
# Measures: OD, growth rate, temperature, pumped volumes. Reminders are in the event log, at level WARNING to be seen.
# Safe:     each exchange removes more than it adds. Dosing stops after five days.
experiment_profile_name: sampling reminder
version: "1.0"
metadata:
  author: Leader Control Service
  description: A chemostat that pauses every 12 hours and reminds you to take a sample.
inputs: {temperature_c: 30, stir_rpm: 500, exchange_ml: 0.5, interval_min: 20, sample_ml: 0.5}
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s, options: {target_rpm: "\${{ stir_rpm }}"}}
    temperature_automation:
      actions:
        - {type: start, t: 10s, options: {automation_name: thermostat, target_temperature: "\${{ temperature_c }}"}}
    od_reading:
      actions:
        - {type: start, t: 1m}
    growth_rate_calculating:
      actions:
        - {type: start, t: 30m}
    dosing_automation:
      actions:
        - type: start
          t: 6h
          options:
            automation_name: chemostat
            exchange_volume_ml: "\${{ exchange_ml }}"
            duration: "\${{ interval_min }}"
        - type: repeat
          t: 12h
          every: 12h
          max_time: 4d
          actions:
            - {type: pause, t: 0s}
            - type: log
              t: 0s
              options:
                message: "Take a sample of \${{ sample_ml }} mL from \${{ unit() }}. Dosing resumes in 15 minutes."
                level: WARNING
            - {type: resume, t: 15m}
        - {type: stop, t: 5d}
`;
