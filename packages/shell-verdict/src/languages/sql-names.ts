const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean))

/** Functions that only compute, in every database that has them. */
export const SQL_FUNCTIONS = words(`
  abs acos age any_value array_agg array_length array_to_string ascii asin atan atan2 avg bit_count bit_length bool_and bool_or
  cast cbrt ceil ceiling char char_length character_length charindex chr coalesce concat concat_ws convert cos cot count cume_dist
  curdate current_database current_schema current_timestamp current_user curtime database date date_add date_diff date_format
  date_part date_sub date_trunc dateadd datediff datename datepart datetime day dayname dayofmonth dayofweek dayofyear decode degrees
  dense_rank every exp extract field find_in_set first_value floor format from_unixtime getdate glob greatest group_concat grouping
  hex hour if ifnull iif initcap inet_aton inet_ntoa instr isnull json json_agg json_array json_array_length json_arrayagg json_build_array
  json_build_object json_extract json_group_array json_group_object json_object json_object_agg json_quote json_type json_valid
  jsonb_agg jsonb_array_elements jsonb_array_length jsonb_build_object jsonb_object_keys jsonb_pretty jsonb_typeof julianday lag last_day
  last_value lcase lead least left len length like likelihood likely ln locate log log10 log2 lower lpad ltrim make_date make_interval
  make_timestamp max md5 median mid min minute mod month monthname now nth_value ntile nullif nvl octet_length overlay patindex
  percent_rank percentile_cont percentile_disc period_diff pi position pow power printf quarter quote quotename radians rand random
  rank regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table
  regexp_substr repeat replace replicate reverse right round row_number row_to_json rpad rtrim schema second session_user sign sin
  soundex space split_part sqlite_version sqrt stddev stddev_pop stddev_samp strftime string_agg string_to_array strpos stuff substr
  substring substring_index sum sysdate tan time timediff timestampdiff to_char to_date to_json to_jsonb to_number to_timestamp
  total translate trim trunc truncate typeof ucase unhex unicode unistr unix_timestamp unixepoch unlikely unnest upper user utc_timestamp
  uuid var_pop var_samp variance version week weekday weekofyear width_bucket year yearweek zeroblob
  pg_size_pretty pg_total_relation_size pg_relation_size pg_table_size pg_indexes_size pg_database_size pg_get_viewdef pg_get_indexdef
  pg_get_constraintdef pg_get_functiondef pg_get_expr pg_postmaster_start_time pg_is_in_recovery pg_backend_pid pg_column_size
  obj_description col_description format_type has_table_privilege has_database_privilege to_regclass generate_series json_each json_tree
  json_each_text json_array_elements json_array_elements_text json_object_keys jsonb_each jsonb_each_text jsonb_array_elements_text
  pragma_table_info pragma_table_xinfo pragma_table_list pragma_index_list pragma_index_info pragma_foreign_key_list`)

/** SQLite's statements that only show settings. */
export const SQLITE_PRAGMAS = words(
  `table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list database_list collation_list
  compile_options module_list function_list pragma_list`,
)
export const SQLITE_BARE_PRAGMAS = words(
  `user_version schema_version application_id page_size page_count freelist_count encoding journal_mode foreign_keys
  integrity_check quick_check foreign_key_check synchronous cache_size auto_vacuum`,
)

/** Tables that come with a client and read files outside the database. */
export const FILE_TABLES = words(
  'fsdir zipfile csv sqlar readfile lsdir glob read_text read_csv read_blob sniff_csv',
)

/** Tables of passwords and of keys to other servers. */
export const SECRET_TABLES = words(
  `pg_shadow pg_authid pg_user_mapping pg_user_mappings pg_subscription pg_largeobject mysql.user mysql.global_priv mysql.db
  mysql.servers sql_logins duckdb_secrets`,
)

/** Words that end or continue a clause: they are no alias. */
export const RESERVED = words(
  `select from where group having order limit offset fetch union intersect except join inner left right full cross natural outer
  lateral on using and or not in is like ilike glob regexp rlike similar between case when then else end as distinct all asc desc
  nulls window over filter with recursive values exists collate escape at interval array null into for`,
)
