export const morbidostat = `# Morbidostat: a drug in the alternative medium holds the growth rate at a target while the culture adapts to it.
#
# Adapt:    growth_target (1/h), clearly below the growth rate without the drug. density_target: normalised (1 is the density half
#           an hour after the start); the culture grows without doses up to 70 % of it. interval_min: minutes between decisions.
#           Gains: section [dosing_automation.pid_morbidostat] of the configuration.
# Needs:    calibrated media, alt_media and waste pumps; the drug in the alternative medium. Per unit and day, at 0.1/h in 14 mL:
#           34 mL of both media together, and more when the density is above its target. Ten days: 400 mL of free waste volume.
# Measures: OD, growth rate, share of the alternative medium in the vial (a log entry each day), pumped volumes.
# Safe:     each exchange removes more than it adds. Dosing stops after ten days.
experiment_profile_name: morbidostat
version: "1.0"
metadata:
  author: Leader Control Service
  description: Holds the growth rate with a drug in the alternative medium for ten days.
inputs: {temperature_c: 37, stir_rpm: 500, growth_target: 0.1, density_target: 5, interval_min: 60}
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
          t: 2h
          options:
            automation_name: pid_morbidostat
            target_normalized_od: "\${{ density_target }}"
            target_growth_rate: "\${{ growth_target }}"
            duration: "\${{ interval_min }}"
        - type: repeat
          t: 1d
          every: 1d
          max_time: 9d
          actions:
            - type: log
              t: 0s
              options:
                message: "\${{ unit() }}: the share of the alternative medium is \${{ ::bioreactor:alt_media_fraction }}."
        - {type: stop, t: 10d}
`;
