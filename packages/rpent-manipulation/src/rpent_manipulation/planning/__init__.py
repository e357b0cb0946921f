"""Plans from point clouds: grasps, fronts with handles, ways over things, places to put things."""
