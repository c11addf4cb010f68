//! Child processes: started in a group of their own, bounded in time and output, and dead afterwards with all that
//! they started.
